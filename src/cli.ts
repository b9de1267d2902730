import { VERSION } from './boot/version.ts'
import { agentCommands } from './cli/agent.commands.ts'
import { auditCommands } from './cli/audit.commands.ts'
import { deliveryCommands } from './cli/delivery.commands.ts'
import { endpointCommands } from './cli/endpoint.commands.ts'
import { erasureCommands } from './cli/erasure.commands.ts'
import { eventCommands } from './cli/event.commands.ts'
import {
  type Command,
  commandHelp,
  findCommand,
  parseCommand,
  suggestCommand,
  UsageError,
} from './cli/framework/command.ts'
import { keyCommands } from './cli/key.commands.ts'
import { listenCommands } from './cli/listen.commands.ts'
import { numberCommands } from './cli/number.commands.ts'
import { orgCommands } from './cli/org.commands.ts'
import { paymentAccountCommands } from './cli/payment-account.commands.ts'
import { personCommands } from './cli/person.commands.ts'
import { recoveryCommands } from './cli/recovery.commands.ts'
import { secretKeyCommands } from './cli/secret-key.commands.ts'
import { serverCommands } from './cli/server.commands.ts'
import { simulateCommands } from './cli/simulate.commands.ts'
import { simulatePayCommands } from './cli/simulate-pay.commands.ts'
import { ProblemError, StartError } from './kernel/errors.ts'

/** `nexkit <command>`: exit 0 when it worked, 1 when it could not be done, 2 when it was asked wrongly. */
const commands: Command[] = [
  ...serverCommands,
  ...orgCommands,
  ...personCommands,
  ...keyCommands,
  ...agentCommands,
  ...endpointCommands,
  ...recoveryCommands,
  ...deliveryCommands,
  ...eventCommands,
  ...erasureCommands,
  ...numberCommands,
  ...paymentAccountCommands,
  ...listenCommands,
  ...simulateCommands,
  ...simulatePayCommands,
  ...auditCommands,
  ...secretKeyCommands,
]

function overview(): string {
  const width = Math.max(...commands.map((command) => command.name.length))
  const rows = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`)
  return `Nexkit ${VERSION}: chats, orders and payments behind one API\n\n  npx nexkit <command> [options]\n\n${rows.join('\n')}\n\n  npx nexkit help <command> tells more about one.\n`
}

function help(words: string[]): string {
  const found = findCommand(commands, words[0] === 'settings' ? ['serve'] : words)
  if (found !== null) return commandHelp(found.command)
  if (words.length === 0) return overview()
  throw noSuchCommand(words)
}

function noSuchCommand(words: string[]): UsageError {
  const suggestion = suggestCommand(commands, words)
  const typed = words.filter((word) => !word.startsWith('-')).join(' ')
  return new UsageError(
    `There is no command "${typed}"${suggestion === null ? '.' : `; did you mean: ${suggestion}?`} Run "npx nexkit help" for the list.`,
  )
}

async function run(words: string[]): Promise<void> {
  const [first] = words
  if (first === undefined || first === '--help' || first === '-h') return void process.stdout.write(overview())
  if (first === 'help') return void process.stdout.write(help(words.slice(1)))
  if (first === '--version' || first === '-v' || first === 'version') return void process.stdout.write(`${VERSION}\n`)
  const found = findCommand(commands, words)
  if (found === null) throw noSuchCommand(words)
  if (found.rest.includes('--help') || found.rest.includes('-h'))
    return void process.stdout.write(commandHelp(found.command))
  await found.command.run(parseCommand(found.command, found.rest))
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
  console.error('nexkit: this should not have happened:', error)
  process.exit(1)
}
