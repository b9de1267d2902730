import { createInterface } from 'node:readline/promises'
import { getOrganizationBySlug, type Organization } from '../accounts/organizations/organizations.ts'
import { paymentAccountsContext } from '../boot/capabilities.ts'
import { numbersContext } from '../boot/contexts.ts'
import { loadSecretKey } from '../boot/secret-key.ts'
import { configuredEgress, mediaStorage } from '../boot/settings.ts'
import { tenantTables } from '../boot/tables.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/ids.ts'
import { openWakeUps } from '../platform/outbox/wake-ups.ts'
import { createLog } from '../platform/telemetry/log.ts'
import {
  ADVANCE_SECONDS_MAX,
  advanceClock,
  createSandbox,
  findSandbox,
  getSandbox,
  resetSandbox,
  type SandboxContext,
} from '../sandbox/sandbox.ts'
import { type CommandValues, defineCommand, jsonOption, orgOption, UsageError } from './framework/command.ts'
import { createCommandAudit } from './framework/command-audit.ts'
import { findPublicUrl, withDatabase } from './framework/connection.ts'
import { readDuration } from './framework/flags.ts'
import { printJson, printLine } from './framework/output.ts'

const orgOfEither = { ...orgOption, help: 'slug of the organization, or of its sandbox' } as const

export const sandboxCommands = [
  defineCommand({
    name: 'org sandbox',
    summary: 'Create or show the sandbox of an organization',
    details:
      'A sandbox has the people of its organization, its own data and keys that begin with nxk_test_, and simulators only.',
    examples: ['npx nexkit org sandbox --org demo-store'],
    options: { org: orgOfEither, json: jsonOption },
    async run({ values }) {
      const { isNew, sandbox } = await withSandbox(values, 'org sandbox', async ({ context, organization, enter }) => {
        const known = await findSandbox(context.database, organization.id)
        if (known !== null) return { isNew: false, sandbox: known }
        const created = await createSandbox(context, organization.id)
        await enter('createSandbox', created)
        return { isNew: true, sandbox: created }
      })
      const { slug } = sandbox
      print(
        values,
        sandbox,
        `${isNew ? 'Created sandbox' : 'The sandbox is'} "${slug}". Create a key for it: npx nexkit key create --org ${slug} --name "Tests" --scopes all`,
      )
    },
  }),
  defineCommand({
    name: 'org sandbox reset',
    summary: 'Delete the data of a sandbox',
    details:
      'Deletes chats, orders, payments, events and logs. Keys, agents, webhook endpoints, numbers, payment accounts, settings and the audit log stay. This cannot be undone.',
    examples: ['npx nexkit org sandbox reset --org demo-store --yes'],
    options: { org: orgOfEither, yes: { type: 'boolean', help: 'do not ask for confirmation' }, json: jsonOption },
    async run({ values }) {
      const sandbox = await withSandbox(values, 'org sandbox reset', async ({ context, organization, enter }) => {
        const { id, slug } = await getSandbox(context.database, organization.id)
        if (values.yes !== true) await confirmReset(slug)
        const emptied = await resetSandbox(context, id)
        await enter('resetSandbox', emptied)
        return emptied
      })
      print(values, sandbox, `Deleted all data of "${sandbox.slug}".`)
    },
  }),
  defineCommand({
    name: 'org sandbox advance',
    summary: 'Move the clock of a sandbox forward',
    details:
      'Everything that waits in the sandbox comes nearer by this time: reply windows close, unpaid orders expire, scheduled messages are sent.',
    examples: ['npx nexkit org sandbox advance --org demo-store --by 2d'],
    options: {
      org: orgOfEither,
      by: { type: 'string', help: 'time such as 30m, 12h or 2d', placeholder: 'time', isRequired: true },
      json: jsonOption,
    },
    async run({ values }) {
      const seconds = readDuration('by', String(values.by)) / 1000
      if (seconds > ADVANCE_SECONDS_MAX) throw new UsageError('--by must be at most 366d.')
      const sandbox = await withSandbox(values, 'org sandbox advance', async ({ context, organization, enter }) => {
        const { id } = await getSandbox(context.database, organization.id)
        const advanced = await advanceClock(context, id, seconds)
        await enter('advanceSandbox', advanced)
        return advanced
      })
      print(values, sandbox, `Moved the clock of "${sandbox.slug}" forward by ${values.by}.`)
    },
  }),
]

function print(values: CommandValues, { id, name, slug, created_at }: Organization, line: string): void {
  if (values.json) printJson({ object: 'sandbox', id, name, slug, created_at: created_at.toISOString() })
  else printLine(line)
}

async function confirmReset(slug: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new UsageError('This deletes all data of the sandbox. Add --yes if that is what you want.')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const typed = await terminal.question(`This deletes all data of the sandbox. Type ${slug} to confirm: `)
  terminal.close()
  if (typed.trim() !== slug) throw new UsageError('Nothing was deleted.')
}

type SandboxWork = {
  context: SandboxContext
  organization: Organization
  /** Records the act in the audit log of the sandbox. */
  enter: (act: string, sandbox: Organization) => Promise<void>
}

const withSandbox = <Result>(
  values: CommandValues,
  command: string,
  work: (parts: SandboxWork) => Promise<Result>,
): Promise<Result> =>
  withDatabase(async (database, config) => {
    const organization = await getOrganizationBySlug(database, String(values.org))
    const [clock, log] = [systemClock, createLog('warn')]
    const ground = {
      ...{ database, clock, egress: configuredEgress(config), secretKey: await loadSecretKey(database, config) },
      publicUrl: await findPublicUrl(database, config),
    }
    const wakeUps = openWakeUps({ database, processId: newId('prc'), log })
    const record = await createCommandAudit(database, config)
    const context: SandboxContext = {
      ...{ database, clock, log, tenantTables, storage: mediaStorage(config) },
      numbers: numbersContext(ground),
      paymentAccounts: paymentAccountsContext(ground),
      wake: (orgIds) => wakeUps.send(orgIds),
    }
    const enter: SandboxWork['enter'] = (act, { id }) =>
      database.transaction((tx) => record(tx, id, { command, act, subject: id }))
    try {
      return await work({ context, organization, enter })
    } finally {
      await wakeUps.close()
    }
  })
