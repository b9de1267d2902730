import { describe, expect, test } from 'bun:test'
import { allCommands, helpFor, overview } from './commands.ts'
import { findCommand, parseCommand, suggestCommands } from './framework/command.ts'

const COLUMNS = 100

/** The words of a command line as a shell splits them, up to a redirection. */
const wordsOf = (line: string): string[] =>
  [...(line.split(' > ')[0] ?? '').matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)

const widest = (text: string) => Math.max(...text.split('\n').map((line) => [...line].length))

describe('the list of commands', () => {
  test('has one line for each command and fits into 100 columns', () => {
    const lines = overview().split('\n')
    for (const { name, summary } of allCommands)
      expect(lines.filter((line) => line.startsWith(`  ${name} `) && line.endsWith(summary))).toHaveLength(1)
    expect(widest(overview())).toBeLessThanOrEqual(COLUMNS)
  })

  test('ends with how to learn more', () => {
    expect(overview()).toMatch(/nexkit help <command>[\s\S]*\/docs/)
  })

  test('is shortened to one family by its first word', () => {
    expect(helpFor(['key'])).toContain('key rotate')
    expect(helpFor(['key'])).not.toContain('agent')
  })
})

describe.each(allCommands.map((command) => [command.name, command] as const))('%s', (name, command) => {
  test('has examples whose options exist', () => {
    expect(command.examples.length).toBeWithin(1, 4)
    for (const example of command.examples) {
      const [npx, nexkit, ...words] = wordsOf(example)
      const found = findCommand(allCommands, words)
      expect([npx, nexkit, found?.command.name]).toEqual(['npx', 'nexkit', name])
      expect(() => parseCommand(command, found?.rest ?? [])).not.toThrow()
    }
  })

  test('explains itself within 100 columns', () => {
    const help = helpFor(name.split(' ')) ?? ''
    expect(help).toContain(`${command.summary}.\n\nUsage\n  npx nexkit ${name}`)
    expect(widest(help)).toBeLessThanOrEqual(COLUMNS)
  })
})

test.each([
  ['sevre', ['serve']],
  ['key crate', ['key create']],
  ['simulate paid', ['simulate pay']],
  ['audit quux', ['audit verify', 'audit export']],
  ['quux', []],
])('a wrong command "%s" suggests %p', (typed, suggested) => {
  expect(suggestCommands(allCommands, typed.split(' '))).toEqual(suggested)
})

const [listen] = allCommands.filter(({ name }) => name === 'listen')

test.each([
  [['--forward-too', 'x'], 'There is no option --forward-too. Did you mean --forward-to?'],
  [['--forward-to'], '--forward-to needs a value.'],
  [['--events', '*'], '--forward-to is required (URL that receives the events).'],
  [['here', '--forward-to', 'x'], '"here" is one argument too many.'],
])('wrong options %p say "%s"', (words, sentence) => {
  expect(() => parseCommand(listen as (typeof allCommands)[number], words)).toThrow(sentence)
})
