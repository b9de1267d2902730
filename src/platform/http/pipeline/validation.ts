import type { z } from 'zod'
import type { FieldProblem, ProblemError } from '../../../kernel/errors.ts'
import { nearestName } from '../../../kernel/text.ts'
import { validationFailed, valueRefused } from '../http.errors.ts'
import { FIELD_PROBLEMS_MAX } from '../problem.ts'

/**
 * Turns what zod found into field problems a developer, or an agent, can repair in one try: where (a JSON Pointer as
 * URI fragment), what (a stable code), how (a sentence), and the allowed values as data.
 */

export type Located = (path: PropertyKey[]) => Pick<FieldProblem, 'pointer' | 'parameter'>

export const inBody: Located = (path) => ({
  pointer: `#${path.map((part) => `/${escapePointer(String(part))}`).join('')}`,
})
export const inQuery: Located = (path) => ({ parameter: String(path[0] ?? '') })

const escapePointer = (part: string) =>
  encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%7E', '~')

export function fieldProblems(schema: z.ZodType, input: unknown, error: z.ZodError, located: Located): FieldProblem[] {
  const problems = error.issues.flatMap((issue) => problemsOfIssue(schema, input, issue, located))
  return problems.slice(0, FIELD_PROBLEMS_MAX)
}

/** For the issue of a check that the published schema does not say. */
export const BEYOND_SCHEMA = { isBeyondSchema: true }

export const isBeyondSchema = ({ issues }: z.ZodError): boolean =>
  issues.every((issue) => issue.code === 'custom' && issue.params?.isBeyondSchema === true)

type Issue = z.core.$ZodIssue

function problemsOfIssue(schema: z.ZodType, input: unknown, issue: Issue, located: Located): FieldProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = membersAt(schema, input, issue.path)
    return issue.keys.map((name) => unknownField(name, known, located([...issue.path, name])))
  }
  if (issue.code === 'invalid_union') {
    const types = typesOf(issue.errors)
    if (types !== null) return [{ ...located(issue.path), ...wrongType(types) }]
    const branch = closestBranch(issue.errors)
    if (branch !== null) {
      return branch.flatMap((inner) =>
        problemsOfIssue(schema, input, { ...inner, path: [...issue.path, ...inner.path] }, located),
      )
    }
  }
  const place = located(issue.path)
  if (issue.path.length > 0 && !isPresent(input, issue.path))
    return [{ ...place, code: 'required', detail: `"${String(issue.path.at(-1))}" is required.` }]
  return [{ ...place, ...describeIssue(issue) }]
}

function unknownField(name: string, known: string[], place: ReturnType<Located>): FieldProblem {
  const suggestion = nearestName(name, known)
  const noun = place.parameter === undefined ? 'field' : 'parameter'
  return {
    ...place,
    code: `${noun}_unknown`,
    detail: `There is no ${noun} "${name}" here${suggestion === null ? namesAllowed(known) : `; did you mean "${suggestion}"?`}`,
    params: suggestion === null ? { allowed: known } : { suggestion, allowed: known },
  }
}

const NAMES_SAID_MAX = 20

const namesAllowed = (known: string[]) =>
  known.length === 0
    ? '.'
    : `. Allowed: ${known.slice(0, NAMES_SAID_MAX).join(', ')}${known.length > NAMES_SAID_MAX ? ', …' : ''}.`

/** What a value could have been, where it is of none of these types; null where it was of one of them. */
function typesOf(branches: Issue[][]): string[] | null {
  const types = branches.map(([first, ...others]) =>
    first?.code === 'invalid_type' && first.path.length === 0 && others.length === 0 ? wordOf(first.expected) : null,
  )
  const words = types.filter((type) => type !== null)
  return words.length < 2 || words.length < types.length ? null : [...new Set(words)]
}

const wrongType = (types: string[]) => ({
  code: 'wrong_type',
  detail: `This must be ${types.map(article).join(' or ')}.`,
  params: { expected: types.length === 1 ? types[0] : types },
})

/** Of the alternatives of a union, the one that got furthest: fewest complaints, and not merely "wrong type at the top". */
function closestBranch(branches: Issue[][]): Issue[] | null {
  const deep = branches.filter((issues) => issues.some((issue) => issue.path.length > 0))
  const candidates = deep.length > 0 ? deep : branches
  return candidates.toSorted((one, other) => one.length - other.length)[0] ?? null
}

function describeIssue(issue: Issue): Omit<FieldProblem, 'pointer' | 'parameter' | 'header'> {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType([wordOf(issue.expected)])
    case 'invalid_value':
      return {
        code: 'not_allowed',
        detail: `This must be one of: ${issue.values.map(String).join(', ')}.`,
        params: { allowed: issue.values },
      }
    case 'too_small':
      return {
        code: sizeCode(issue.origin, 'small'),
        detail: sizeSentence(issue.origin, 'At least', issue.minimum),
        params: { min: Number(issue.minimum) },
      }
    case 'too_big':
      return {
        code: sizeCode(issue.origin, 'large'),
        detail: sizeSentence(issue.origin, 'At most', issue.maximum),
        params: { max: Number(issue.maximum) },
      }
    // Occurs only when a discriminator member has an unknown value.
    case 'invalid_union':
      return { code: 'not_allowed', detail: issue.message, params: { allowed: namedShapes(issue) } }
    case 'invalid_format':
      return { code: 'wrong_format', detail: formatSentence(issue.format, issue.message) }
    case 'custom':
      return {
        code: String(issue.params?.code ?? 'invalid'),
        detail: issue.message,
        ...(issue.params?.params && { params: issue.params.params }),
      }
    case 'invalid_key':
      return describeName(issue.issues)
    default:
      return { code: 'invalid', detail: issue.message }
  }
}

/** Describes a member whose name is not allowed: what is wrong, and that it concerns the name. */
function describeName([first]: Issue[]): ReturnType<typeof describeIssue> {
  if (first === undefined) return { code: 'invalid', detail: 'No member may have this name.' }
  const { detail, ...rest } = describeIssue(first)
  return { ...rest, detail: `The name of this member: ${detail}` }
}

const namedShapes = (issue: Issue & { code: 'invalid_union' }) =>
  'options' in issue && Array.isArray(issue.options)
    ? issue.options.filter((option) => option !== undefined && option !== null)
    : []

/** As JSON Schema calls it. */
const wordOf = (type: string) => ({ int: 'integer', record: 'object' })[type] ?? type

const article = (word: string) => `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`

const sizeCode = (origin: string, side: 'small' | 'large') => {
  if (origin === 'string') return side === 'small' ? 'too_short' : 'too_long'
  if (origin === 'array') return side === 'small' ? 'too_few' : 'too_many'
  return `too_${side}`
}

const sizeSentence = (origin: string, bound: string, limit: number | bigint) => {
  const unit = origin === 'string' ? ' characters' : origin === 'array' ? ' items' : ''
  return `${bound} ${limit}${unit}.`
}

/** Our own patterns carry a sentence as their message; zod's standard message repeats the pattern, which does not help the caller. */
const formatSentence = (format: string, message: string) =>
  message.startsWith('Invalid') ? `This is not a valid ${format.replaceAll('_', ' ')}.` : message

function isPresent(input: unknown, path: PropertyKey[]): boolean {
  let value = input
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return false
    value = Reflect.get(value, part)
  }
  return value !== undefined
}

type Definition = {
  type: string
  shape?: Record<string, z.ZodType>
  innerType?: z.ZodType
  element?: z.ZodType
  in?: z.ZodType
  options?: z.ZodType[]
}

/** The names that an object may have at a path: in a union, of the alternatives that its constants leave possible. */
function membersAt(schema: z.ZodType, input: unknown, [first, ...rest]: PropertyKey[]): string[] {
  const shapes = shapesFor(schema, input)
  if (first === undefined) return [...new Set(shapes.flatMap(({ shape = {} }) => Object.keys(shape)))]
  const children = shapes.flatMap(({ element, shape }) => element ?? shape?.[String(first)] ?? [])
  const value = typeof input === 'object' && input !== null ? Reflect.get(input, first) : undefined
  return [...new Set(children.flatMap((child) => membersAt(child, value, rest)))]
}

function shapesFor(schema: z.ZodType, input: unknown): Definition[] {
  const definition = unwrap(schema)
  if (definition.options === undefined) return [definition]
  const all = definition.options.flatMap((option) => shapesFor(option, input))
  const fitting = all.filter((shape) => agrees(shape, input))
  return fitting.length > 0 ? fitting : all
}

/** Whether everything that this shape fixes to a value has that value. */
const agrees = ({ shape = {} }: Definition, input: unknown): boolean =>
  Object.entries(shape).every(
    ([name, member]) => unwrap(member).type !== 'literal' || member.safeParse(Object(input)[name]).success,
  )

export function unwrap(schema: z.ZodType): Definition {
  let definition: Definition = schema._zod.def
  for (;;) {
    const inner = definition.innerType ?? (definition.type === 'pipe' ? definition.in : undefined)
    if (inner === undefined) return definition
    definition = inner._zod.def
  }
}

/**
 * A body is refused in one of two ways, and the published schema draws the line between them: what it says is 422, so that
 * a caller can prove a body right with the schema alone; what it cannot say (a moment that has passed, an amount that the
 * provider does not take) is 409. Both name the fields. Two exceptions have the published form and are 422 all the same,
 * because no change of state can ever correct them: a phone number that cannot exist (`impossiblePhone`), and a URL that the
 * egress guard refuses.
 */
export const countOf = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? ' is' : 's are'} invalid; see "errors".`

export const breaksSchema = (errors: FieldProblem[]): ProblemError =>
  validationFailed({ says: countOf(errors.length, 'field'), errors })

export const refuseValues = (errors: FieldProblem[]): ProblemError =>
  valueRefused({ says: countOf(errors.length, 'field'), errors })
