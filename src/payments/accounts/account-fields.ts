import type { FieldProblem } from '../../kernel/errors.ts'
import { nearestName } from '../../kernel/text.ts'
import { breaksSchema } from '../../platform/http/pipeline/validation.ts'
import { givenForAnother } from '../../platform/outbound-http/egress.ts'
import type { PaymentField } from '../payment-connector.ts'

/** Accepts the values that an account is configured with, as the fields of its provider declare them. */

/** The values of a change: null removes a value, an absent one stays unchanged. */
export type FieldValues = Readonly<Record<string, string | null>>

export type AcceptedFields = { credentials: Record<string, string>; settings: Record<string, string> }

const LENGTH_MAX = 500

export function acceptFields(
  fields: readonly PaymentField[],
  given: { credentials: FieldValues; settings: FieldValues },
  before: AcceptedFields = { credentials: {}, settings: {} },
): AcceptedFields {
  const problems: FieldProblem[] = []
  const accept = (place: 'credentials' | 'settings') => {
    const own = fields.filter((field) => field.isSecret === (place === 'credentials'))
    problems.push(...unknownNames(own, given[place], place))
    return Object.fromEntries(
      own.flatMap((field) => {
        const text = textOf(field, given[place], before[place])
        const problem = problemOf(field, text)
        if (problem !== null) problems.push({ pointer: `#/${place}/${field.name}`, ...problem })
        return text === null ? [] : [[field.name, text] as const]
      }),
    )
  }
  const accepted = { credentials: accept('credentials'), settings: accept('settings') }
  problems.push(...missingCompanions(fields, accepted))
  if (problems.length === 0) return accepted
  throw breaksSchema(problems)
}

/** A changed base URL requires all secrets of the old address again, except generated ones. */
export function refuseUnrepeated(
  fields: readonly PaymentField[],
  known: Record<string, string>,
  given: FieldValues,
): void {
  const unrepeated = fields.filter(
    ({ name, isSecret, generate }) => isSecret && !generate && name in known && !(name in given),
  )
  if (unrepeated.length > 0)
    throw breaksSchema(
      unrepeated.map(({ name }) => ({
        pointer: `#/credentials/${name}`,
        code: 'required',
        detail: givenForAnother(name),
      })),
    )
}

function textOf(field: PaymentField, given: FieldValues, before: Record<string, string>): string | null {
  const text = given[field.name]
  if (text === undefined) return before[field.name] ?? field.generate?.() ?? null
  const cleaned = text === null ? '' : (field.clean?.(text) ?? text.trim())
  return cleaned === '' ? null : cleaned
}

type Problem = Pick<FieldProblem, 'code' | 'detail'>

function problemOf(field: PaymentField, text: string | null): Problem | null {
  if (text === null)
    return field.isRequired ? { code: 'required', detail: `"${field.name}" is required: ${field.help}` } : null
  const lengthMax = field.lengthMax ?? LENGTH_MAX
  if (text.length > lengthMax)
    return { code: 'too_long', detail: `"${field.name}" must have at most ${lengthMax} characters.` }
  if (hasControlCharacter(text))
    return { code: 'invalid', detail: `"${field.name}" contains line breaks or control characters. Paste it again.` }
  const wrong = field.check?.(text) ?? null
  return wrong === null ? null : { code: 'invalid', detail: wrong }
}

const hasControlCharacter = (text: string): boolean =>
  [...text].some((character) => character < ' ' || (character >= '\u007f' && character < '\u00a0'))

const unknownNames = (own: readonly PaymentField[], given: FieldValues, place: string): FieldProblem[] =>
  Object.keys(given).flatMap((name) => {
    const known = own.map((field) => field.name)
    if (known.includes(name)) return []
    const suggestion = nearestName(name, known)
    return {
      pointer: `#/${place}/${name}`,
      code: 'field_unknown',
      detail: `This provider has no "${name}" here${suggestion === null ? '.' : `; did you mean "${suggestion}"?`}`,
      params: { allowed: known },
    }
  })

const missingCompanions = (fields: readonly PaymentField[], accepted: AcceptedFields): FieldProblem[] => {
  const all = { ...accepted.credentials, ...accepted.settings }
  return fields.flatMap((field) =>
    all[field.name] === undefined
      ? []
      : (field.needs ?? []).flatMap((name) =>
          all[name] !== undefined
            ? []
            : {
                pointer: `#/settings/${name}`,
                code: 'required',
                detail: `"${field.name}" works only together with "${name}". Send both.`,
              },
        ),
  )
}
