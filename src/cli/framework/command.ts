import { parseArgs } from 'node:util'
import { messageOf } from '../../kernel/errors.ts'
import { isBlank, nearestName } from '../../kernel/text.ts'

/** One command of `nexkit`, declared once: parsing, help and the reference page come from this value. */
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
  /** What it does, in one sentence without its full stop. */
  summary: string
  /** Longer help, shown by `nexkit help <command>`. Lines that begin with a space keep their layout. */
  details?: string
  /** One to three complete command lines. A test parses them, so their options exist. */
  examples: string[]
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

export function readInteger(name: string, text: string, [min, max]: [number, number], otherwise = ''): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new UsageError(`--${name} must be a whole number from ${min} to ${max}${otherwise}.`)
  return value
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

/** The commands that begin with the same word, such as all of `key`. */
export const familyOf = (commands: Command[], word: string | undefined): Command[] =>
  commands.filter(({ name }) => name.startsWith(`${word} `))

export function suggestCommands(commands: Command[], words: string[]): string[] {
  const typed = words
    .filter((word) => !word.startsWith('-'))
    .slice(0, 2)
    .join(' ')
  const family = familyOf(commands, words[0])
  const namesOf = (some: Command[]) => some.map(({ name }) => name)
  const nearest = nearestName(typed, namesOf(family.length > 0 ? family : commands))
  return nearest === null ? namesOf(family) : [nearest]
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
  const option = /'(?:-\w, )?--?([^' =]+)/.exec(message)?.[1]
  if (option === undefined) return message
  if (message.startsWith('Unknown option')) {
    const suggestion = nearestName(option, known)
    return `There is no option --${option}.${suggestion === null ? '' : ` Did you mean --${suggestion}?`}`
  }
  return message.includes('does not take an argument') ? `--${option} takes no value.` : `--${option} needs a value.`
}

function checkArguments(command: Command, given: string[]): void {
  const declared = command.arguments ?? []
  const missing = declared.find((argument, index) => argument.isRequired && given[index] === undefined)
  if (missing !== undefined) throw new UsageError(`<${missing.name}> is required (${missing.help}).`)
  if (given.length > declared.length) throw new UsageError(`"${given[declared.length]}" is one argument too many.`)
}

const HELP_COLUMNS = 100
const LEFT_COLUMNS_MAX = 34

/** One line up to the width of a terminal where possible, else several. A word is never cut. */
function wrapText(text: string, columns: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + 1 + word.length > columns) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}

/** Two columns, the right one wrapped. A left text that is too long has a line to itself. */
export type HelpRow = readonly [left: string, right: string]

export const leftWidth = (rows: readonly HelpRow[]): number =>
  Math.max(0, ...rows.map(([left]) => left.length).filter((length) => length <= LEFT_COLUMNS_MAX))

export function formatRows(rows: readonly HelpRow[], width = leftWidth(rows)): string[] {
  return rows.flatMap(([left, right]) => {
    const [first = '', ...more] = wrapText(right, HELP_COLUMNS - width - 4)
    const indent = ' '.repeat(width + 4)
    const begin = left.length > width ? [`  ${left}`, `${indent}${first}`] : [`  ${left.padEnd(width)}  ${first}`]
    return [...begin, ...more.map((line) => `${indent}${line}`)].map((line) => line.trimEnd())
  })
}

/** Options that must be given are part of the usage line. */
export function usageOf({ name, arguments: declared = [], options }: Command): string {
  const words = declared.map((argument) => (argument.isRequired ? `<${argument.name}>` : `[${argument.name}]`))
  const required = Object.entries(options).filter(([, { isRequired }]) => isRequired)
  const flags = required.map(([option, { placeholder = 'value' }]) => `--${option} <${placeholder}>`)
  const more = required.length < Object.keys(options).length ? ['[options]'] : []
  return ['npx nexkit', name, ...words, ...flags, ...more].join(' ')
}

/** A command line that is too long is continued on further lines, each beginning with an option, as a shell reads it. */
export function wrapCommandLine(line: string): string {
  const lines = ['']
  for (const part of line.split(/ (?=--)/)) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + part.length > HELP_COLUMNS - 5) lines.push(part)
    else lines[lines.length - 1] = last === '' ? part : `${last} ${part}`
  }
  return lines.join(' \\\n    ')
}

export const optionText = (name: string, { type, placeholder = 'value' }: OptionDeclaration): string =>
  `--${name}${type === 'string' ? ` <${placeholder}>` : ''}`

export function optionHelp({ help, fallback, isRequired }: OptionDeclaration): string {
  if (isRequired) return `${help} (required)`
  return fallback === undefined ? help : `${help} (default ${fallback})`
}

const indentMore = (line: string, index: number) => `${index === 0 ? '  ' : '      '}${line}`

export function commandHelp(command: Command): string {
  const { arguments: declared = [], options, details, examples } = command
  const keepsLayout = (line: string) => line.startsWith(' ')
  const explained = details?.split('\n').flatMap((line) => (keepsLayout(line) ? line : wrapText(line, HELP_COLUMNS)))
  const rows = [
    ...declared.map(({ name, help }) => [`<${name}>`, help] as const),
    ...Object.entries(options).map(([name, option]) => [optionText(name, option), optionHelp(option)] as const),
  ]
  return `${[
    ...[`${command.summary}.`, '', 'Usage', ...wrapText(usageOf(command), HELP_COLUMNS - 6).map(indentMore)],
    ...(explained === undefined ? [] : ['', ...explained]),
    ...(rows.length === 0 ? [] : ['', 'Options', ...formatRows(rows)]),
    ...[
      '',
      examples.length === 1 ? 'Example' : 'Examples',
      ...examples.map((example) => `  ${wrapCommandLine(example)}`),
    ],
  ].join('\n')}\n`
}
