import { afterAll, beforeAll, spyOn } from 'bun:test'
import { type Command, findCommand, parseCommand } from '../../src/cli/framework/command.ts'
import { TEST_SECRET_KEY } from './secret-key.ts'

/** The settings of commands that work on this database, while the tests of a file run. */
export function useCommandSettings(place: { url: string }, more: Record<string, string> = {}): void {
  const environment = { ...process.env }
  beforeAll(() => {
    Object.assign(process.env, { DATABASE_URL: place.url, NEXKIT_SECRET_KEY: TEST_SECRET_KEY, ...more })
  })
  afterAll(() => {
    process.env = environment
  })
}

export type CommandRun = { out: string; err: string; exitCode: number }

/** Runs a command in this process as a user would: returns what it printed on either stream, and its exit code. */
export async function runCommand(commands: Command[], words: readonly string[]): Promise<CommandRun> {
  const [out, err]: [string[], string[]] = [[], []]
  const stdout = spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0)
  const stderr = spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0)
  process.exitCode = 0
  try {
    const found = findCommand(commands, [...words])
    if (found === null) throw new Error(`no command ${words.join(' ')}`)
    await found.command.run(parseCommand(found.command, found.rest))
    return { out: out.join(''), err: err.join(''), exitCode: Number(process.exitCode) }
  } finally {
    stdout.mockRestore()
    stderr.mockRestore()
    process.exitCode = 0
  }
}
