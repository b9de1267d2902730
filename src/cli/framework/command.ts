import { parseArgs } from 'node:util'
import { messageOf } from '../../kernel/errors.ts'
import { isBlank, nearestName } from '../../kernel/text.ts'

/** One command of `nexkit`, declared once: parsing, help and its place in the list of commands come from this value. */
export type OptionDeclaration = {
  type: 'string' | 'boolean'
  help: string
  placeholder?: string
  isRequired?: boolean
  fallback?: string
}

export type CommandValues = Record<string, string | boolean | undefined>

export type Command = {
  /** The words after `nexkit`, such as "key create". */
  name: string
  summary: string
  /** Longer help, shown by `nexkit help <command>`. */
  details?: string
  arguments?: { name: string; help: string; isRequired?: boolean }[]
  options: Record<string, OptionDeclaration>
  run(input: { values: CommandValues; arguments: string[] }): Promise<void>
}

/** What most commands take. */
export const orgOption = {
  type: 'string',
  help: 'slug of the organization',
  placeholder: 'slug',
  isRequired: true,
} as const
export const jsonOption = { type: 'boolean', help: 'print one JSON object on stdout' } as const

/** The command was called wrongly: exit 2, as the shell's own tools do. */
export class UsageError extends Error {}

const NAME_CHARACTERS_MAX = 200

/** A name for people to read, as long as the database keeps one. */
export function readName(values: CommandValues): string {
  const name = String(values.name).trim()
  const { length } = [...name]
  if (isBlank(name) || length > NAME_CHARACTERS_MAX)
    throw new UsageError(`--name must have 1 to ${NAME_CHARACTERS_MAX} characters, and not be blank.`)
  return name
}

export const defineCommand = (command: Command): Command => command

export function findCommand(commands: Command[], words: string[]): { command: Command; rest: string[] } | null {
  const matching = commands.filter((command) => {
    const parts = command.name.split(' ')
    return parts.every((part, index) => words[index] === part)
  })
  const best = matching.toSorted((one, other) => other.name.length - one.name.length)[0]
  return best === undefined ? null : { command: best, rest: words.slice(best.name.split(' ').length) }
}

export function suggestCommand(commands: Command[], words: string[]): string | null {
  const typed = words
    .filter((word) => !word.startsWith('-'))
    .slice(0, 2)
    .join(' ')
  const sameFamily = commands.filter((command) => command.name.split(' ')[0] === words[0])
  if (sameFamily.length > 0) return sameFamily.map((command) => command.name).join(', ')
  return nearestName(
    typed,
    commands.map((command) => command.name),
  )
}

export function parseCommand(command: Command, rest: string[]): { values: CommandValues; arguments: string[] } {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, option]) => [name, { type: option.type }]),
  )
  let parsed: { values: CommandValues; positionals: string[] }
  try {
    parsed = parseArgs({ args: rest, options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(explainParseError(messageOf(error), Object.keys(command.options)))
  }
  const values = { ...parsed.values }
  for (const [name, option] of Object.entries(command.options)) {
    values[name] ??= option.fallback
    if (option.isRequired && (values[name] === undefined || values[name] === ''))
      throw new UsageError(`--${name} is required (${option.help}).`)
  }
  checkArguments(command, parsed.positionals)
  return { values, arguments: parsed.positionals }
}

function explainParseError(message: string, known: string[]): string {
  const unknown = /'--?([^' =]+)/.exec(message)?.[1]
  if (!message.startsWith('Unknown option') || unknown === undefined) return message
  const suggestion = nearestName(unknown, known)
  return `There is no option --${unknown}${suggestion === null ? '.' : `; did you mean --${suggestion}?`}`
}

function checkArguments(command: Command, given: string[]): void {
  const declared = command.arguments ?? []
  const missing = declared.find((argument, index) => argument.isRequired && given[index] === undefined)
  if (missing !== undefined) throw new UsageError(`<${missing.name}> is required (${missing.help}).`)
  if (given.length > declared.length) throw new UsageError(`"${given[declared.length]}" is one argument too many.`)
}

export function commandHelp(command: Command): string {
  const words = (command.arguments ?? []).map((argument) =>
    argument.isRequired ? `<${argument.name}>` : `[${argument.name}]`,
  )
  const rows: [string, string][] = [
    ...(command.arguments ?? []).map((argument): [string, string] => [`<${argument.name}>`, argument.help]),
    ...Object.entries(command.options).map(([name, option]): [string, string] => [
      `--${name}${option.type === 'string' ? ` <${option.placeholder ?? 'value'}>` : ''}`,
      `${option.help}${option.fallback === undefined ? '' : ` (default ${option.fallback})`}${option.isRequired ? ' (required)' : ''}`,
    ]),
  ]
  const width = Math.max(0, ...rows.map(([left]) => left.length))
  const lines = [`${command.summary}.`, '', `  npx nexkit ${[command.name, ...words].join(' ')} [options]`, '']
  if (command.details !== undefined) lines.push(command.details, '')
  for (const [left, right] of rows) lines.push(`  ${left.padEnd(width)}  ${right}`)
  return `${lines.join('\n').trimEnd()}\n`
}
