import { VERSION } from './boot/version.ts'
import { type Command, findCommand, parseCommand, suggestCommands, UsageError } from './cli/framework/command.ts'
import { ProblemError, StartError } from './kernel/errors.ts'

/** `nexkit <command>`: exit 0 when it worked, 1 when it failed, 2 when the command line is wrong. */
const isHelp = (word: string | undefined) => word === '--help' || word === '-h'

/** With everything that they need, which takes half a second. */
const loadAll = () => import('./cli/commands.ts')

/** The emulator has something to do before everything is loaded. */
const loadCommands = async (first: string | undefined): Promise<Command[]> =>
  first === 'emulator' ? (await import('./cli/emulator.commands.ts')).emulatorCommands : (await loadAll()).allCommands

async function noSuchCommand(words: string[]): Promise<UsageError> {
  const typed = words.filter((word) => !word.startsWith('-')).join(' ')
  const [first, ...others] = suggestCommands((await loadAll()).allCommands, words).map((name) => `"${name}"`)
  const known = others.length === 0 ? first : `${[first, ...others.slice(0, -1)].join(', ')} or ${others.at(-1)}`
  return new UsageError(
    `There is no command "${typed}".${first === undefined ? '' : ` Did you mean ${known}?`}\nRun "npx nexkit help" for the list of commands.`,
  )
}

async function printHelp(words: string[]): Promise<void> {
  const text = (await loadAll()).helpFor(words)
  if (text === null) throw await noSuchCommand(words)
  process.stdout.write(text)
}

async function run(words: string[]): Promise<void> {
  const [first] = words
  if (first === '--version' || first === '-v' || first === 'version') return void process.stdout.write(`${VERSION}\n`)
  if (first === undefined || isHelp(first)) return printHelp([])
  if (first === 'help') return printHelp(words.slice(1))
  const asked = words.findIndex(isHelp)
  if (asked > 0) return printHelp(words.slice(0, asked))
  const found = findCommand(await loadCommands(first), words)
  if (found === null) throw await noSuchCommand(words)
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
