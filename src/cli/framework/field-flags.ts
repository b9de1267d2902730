import { ProblemError } from '../../kernel/errors.ts'
import { type CommandValues, type OptionDeclaration, UsageError } from './command.ts'

/** What a connector or a provider asks for, as flags of a command: a field `server_key` is `--server-key`. */
export type FlaggedField = { name: string; help: string; isSecret: boolean }

/** `default_methods` is a list of names, and its flag says what they are for. */
export const optionOf = (name: string): string =>
  name === 'default_methods' ? 'default-for' : name.replaceAll('_', '-')

/** A field of several connectors is one flag. A secret can also be named by a variable, which no process list shows. */
export function fieldOptions<Field extends FlaggedField>(
  fields: readonly Field[],
  helpOf: (field: Field) => string,
): Record<string, OptionDeclaration> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const option = { type: 'string' as const, help: helpOf(field), placeholder: 'text' }
      const fromEnvironment = {
        type: 'string' as const,
        help: `environment variable that holds --${optionOf(field.name)}`,
        placeholder: 'NAME',
      }
      return [
        [optionOf(field.name), option] as const,
        ...(field.isSecret ? [[`${optionOf(field.name)}-env`, fromEnvironment] as const] : []),
      ]
    }),
  )
}

/** Those that were given, with their texts. Whether the connector has such a field is checked later. */
export const givenFields = <Field extends FlaggedField>(values: CommandValues, fields: readonly Field[]) =>
  fields.flatMap((field): { field: Field; text: string }[] => {
    const text = field.isSecret ? readSecret(values, field.name) : values[optionOf(field.name)]
    return typeof text === 'string' ? [{ field, text }] : []
  })

function readSecret(values: CommandValues, name: string): string | undefined {
  const option = optionOf(name)
  const [given, variable] = [values[option], values[`${option}-env`]]
  if (variable === undefined) return given === undefined ? undefined : String(given)
  if (given !== undefined) throw new UsageError(`Give --${option} or --${option}-env, not both.`)
  const text = process.env[String(variable)]
  if (text === undefined || text === '')
    throw new UsageError(`The environment variable ${variable} is not set (--${option}-env).`)
  return text
}

/** The sentence of a problem refers to its fields, which a terminal does not show; this names the flags instead. */
export function explainFields(error: unknown): never {
  const fields = error instanceof ProblemError ? (error.options.errors ?? []) : []
  if (fields.length === 0) throw error
  const asFlag = (_: string, name: string) => `--${optionOf(name)}`
  throw new UsageError(
    fields
      .map(({ pointer, detail }) => {
        const named = detail.replaceAll(/"([a-z]+(?:_[a-z]+)+)"/g, asFlag)
        return named === detail && pointer !== undefined
          ? `--${optionOf(pointer.split('/').at(-1) ?? '')}: ${detail}`
          : named
      })
      .join(' '),
  )
}

/** Null when it is left out or removed. */
export const baseUrlIn = (values: CommandValues): string | null => {
  const given = values['base-url']
  return typeof given === 'string' && given !== '' ? given : null
}
