import { VERSION } from '../boot/version.ts'
import { settingsHelp } from '../config.ts'
import { agentCommands } from './agent.commands.ts'
import { auditCommands } from './audit.commands.ts'
import { backupCommands } from './backup/backup.commands.ts'
import { organizationTransferCommands } from './backup/organization.commands.ts'
import { clusterCommands } from './cluster/cluster.commands.ts'
import { deliveryCommands } from './delivery.commands.ts'
import { emulatorCommands } from './emulator.commands.ts'
import { endpointCommands } from './endpoint.commands.ts'
import { erasureCommands } from './erasure.commands.ts'
import { eventCommands } from './event.commands.ts'
import { type Command, commandHelp, familyOf, findCommand, formatRows, leftWidth } from './framework/command.ts'
import { keyCommands } from './key.commands.ts'
import { listenCommands } from './listen/listen.commands.ts'
import { numberCommands } from './number.commands.ts'
import { orgCommands } from './org.commands.ts'
import { paymentAccountCommands } from './payment-account.commands.ts'
import { personCommands } from './person.commands.ts'
import { platformKeyCommands } from './platform/platform-key.commands.ts'
import { recoveryCommands } from './recovery.commands.ts'
import { sandboxCommands } from './sandbox.commands.ts'
import { secretKeyCommands } from './secret-key.commands.ts'
import { descriptionCommands, serverCommands } from './server.commands.ts'
import { simulateCommands } from './simulate.commands.ts'
import { simulatePayCommands } from './simulate-pay.commands.ts'

/** All commands, by the task they are for: the overview and the reference page follow this order. */
export const commandGroups: { title: string; commands: Command[] }[] = [
  {
    title: 'Start and operate',
    commands: [...serverCommands, ...clusterCommands, ...secretKeyCommands, ...auditCommands],
  },
  { title: 'Back up and move', commands: backupCommands },
  {
    title: 'Organizations and people',
    commands: [...orgCommands, ...organizationTransferCommands, ...sandboxCommands, ...personCommands],
  },
  { title: 'Keys and agents', commands: [...keyCommands, ...platformKeyCommands, ...agentCommands] },
  { title: 'Messages and numbers', commands: numberCommands },
  { title: 'Orders and payments', commands: paymentAccountCommands },
  {
    title: 'Webhooks and events',
    commands: [
      ...listenCommands,
      ...endpointCommands,
      ...recoveryCommands,
      ...deliveryCommands,
      ...eventCommands,
      ...erasureCommands,
    ],
  },
  { title: 'Try it out (simulator)', commands: [...emulatorCommands, ...simulateCommands, ...simulatePayCommands] },
  { title: 'API descriptions and benchmark', commands: descriptionCommands },
]

export const allCommands: Command[] = commandGroups.flatMap(({ commands }) => commands)

const DOCS = 'http://127.0.0.1:3900/docs'

const row = ({ name, summary }: Command) => [name, summary] as const

export function overview(): string {
  const width = leftWidth(allCommands.map(row))
  const groups = commandGroups.map(({ title, commands }) =>
    [title, ...formatRows(commands.map(row), width), ''].join('\n'),
  )
  return `Nexkit ${VERSION}: WhatsApp chats, orders and payments behind one API

  npx nexkit <command> [options]

${groups.join('\n')}
  nexkit help <command>   usage, options and examples of a command
  nexkit help settings    the environment variables of the server

Docs: ${DOCS} while the server runs, and the folder docs/
`
}

/** Null when there is no such command. `help key` is about all commands that begin with "key". */
export function helpFor(words: string[]): string | null {
  if (words[0] === 'settings') return settingsPage()
  const found = findCommand(allCommands, words)
  if (found !== null) return commandHelp(found.command)
  if (words.length === 0) return overview()
  const family = words.length === 1 ? familyOf(allCommands, words[0]) : []
  if (family.length === 0) return null
  return `${[...formatRows(family.map(row)), '', `  nexkit help ${family[0]?.name}   usage, options and examples`].join('\n')}\n`
}

function settingsPage(): string {
  const rows = settingsHelp().map(
    ({ name, help, fallback }) => [name, fallback === '' ? help : `${help} (default ${fallback})`] as const,
  )
  return `Settings are environment variables, read by the server and by every command when they start.

${formatRows(rows).join('\n')}

Example
  PORT=4000 HOST=0.0.0.0 npm start
`
}
