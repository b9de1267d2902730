import { afterAll, beforeAll, spyOn } from 'bun:test'
import { type Command, findCommand, parseCommand, UsageError } from '../../src/cli/framework/command.ts'
import { ProblemError, StartError } from '../../src/kernel/errors.ts'
import { TEST_SECRET_KEY } from './secret-key.ts'
import type { CommandResult, Installation } from './server.ts'

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

/**
 * A command of an installation in this process, with the exit code and the error that `nexkit` ends with. As a process it costs a
 * second of the processor more, which only tests of the process need: its signals, its limits, its start.
 */
export async function runCommandHere({ environment }: Installation, ...words: string[]): Promise<CommandResult> {
  const { allCommands } = await import('../../src/cli/commands.ts')
  const own = process.env
  process.env = { ...environment }
  try {
    const { out, err, exitCode } = await runCommand(allCommands, words)
    return { code: exitCode, stdout: out, stderr: err }
  } catch (error) {
    if (!(error instanceof StartError || error instanceof ProblemError || error instanceof UsageError)) throw error
    return { code: error instanceof UsageError ? 2 : 1, stdout: '', stderr: `nexkit: ${error.message}\n` }
  } finally {
    process.env = own
  }
}
