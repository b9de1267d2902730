import { VERSION } from './boot/version.ts'
import { allCommands, helpFor, overview } from './cli/commands.ts'
import { type Command, findCommand, parseCommand, suggestCommands, UsageError } from './cli/framework/command.ts'
import { ProblemError, StartError } from './kernel/errors.ts'

/** `nexkit <command>`: exit 0 when it worked, 1 when it failed, 2 when the command line is wrong. */
const isHelp = (word: string | undefined) => word === '--help' || word === '-h'

function noSuchCommand(words: string[]): UsageError {
  const typed = words.filter((word) => !word.startsWith('-')).join(' ')
  const [first, ...others] = suggestCommands(allCommands, words).map((name) => `"${name}"`)
  const known = others.length === 0 ? first : `${[first, ...others.slice(0, -1)].join(', ')} or ${others.at(-1)}`
  return new UsageError(
    `There is no command "${typed}".${first === undefined ? '' : ` Did you mean ${known}?`}\nRun "npx nexkit help" for the list of commands.`,
  )
}

function printHelp(words: string[]): void {
  const text = helpFor(words)
  if (text === null) throw noSuchCommand(words)
  process.stdout.write(text)
}

async function run(words: string[]): Promise<void> {
  const [first] = words
  if (first === undefined || isHelp(first)) return void process.stdout.write(overview())
  if (first === 'help') return printHelp(words.slice(1))
  if (first === '--version' || first === '-v' || first === 'version') return void process.stdout.write(`${VERSION}\n`)
  const asked = words.findIndex(isHelp)
  if (asked > 0) return printHelp(words.slice(0, asked))
  const found = findCommand(allCommands, words)
  if (found === null) throw noSuchCommand(words)
  await found.command.run(readLine(found.command, found.rest))
}

/** A wrong option or argument also names the help of its command. */
function readLine(command: Command, rest: string[]) {
  try {
    return parseCommand(command, rest)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(`${error.message}\nRun "npx nexkit help ${command.name}" for its options and examples.`)
  }
}

/** The reader closed the pipe, as `head` does: the command ends without an error. */
const isReaderGone = (error: unknown): boolean => (error as NodeJS.ErrnoException | null)?.code === 'EPIPE'

process.stdout.on('error', (error) => {
  if (isReaderGone(error)) process.exit(0)
})

try {
  await run(process.argv.slice(2))
} catch (error) {
  if (isReaderGone(error)) process.exit(0)
  if (error instanceof UsageError || error instanceof StartError || error instanceof ProblemError) {
    console.error(`nexkit: ${error.message}`)
    process.exit(error instanceof UsageError ? 2 : 1)
  }
  console.error('nexkit: unexpected error:', error)
  process.exit(1)
}
