import '../app.ts'
import { listOrganizations, type Organization } from '../accounts/organizations/organizations.ts'
import { loadSecretKey } from '../boot/secret-key.ts'
import { channelSecretBox, configuredEgress, mediaStorage } from '../boot/settings.ts'
import { VERSION } from '../boot/version.ts'
import { type Channels, createChannels } from '../channels/channels.ts'
import { createConnectors } from '../channels/connectors/connectors.ts'
import { type Customers, createCustomers } from '../channels/connectors/simulator/simulator.ts'
import { countUnapplied } from '../channels/journal/journal.ts'
import { type BusinessNumber, listNumbers } from '../channels/numbers/numbers.ts'
import type { Config } from '../config.ts'
import { systemClock } from '../kernel/clock.ts'
import { StartError } from '../kernel/errors.ts'
import { newId, type OrgId } from '../kernel/ids.ts'
import { publicUrlOf } from '../main.ts'
import { listLiveProcesses } from '../platform/cluster/live-processes.sql.ts'
import type { Database } from '../platform/database/database.ts'
import { openWakeUps, type WakeUps } from '../platform/outbox/wake-ups.ts'
import { parsePhone } from '../platform/phone/phone-numbers.ts'
import { createLog } from '../platform/telemetry/log.ts'
import { chooseSimulatorNumber, isSimulatorNumber } from '../surfaces/simulator-api/simulator-numbers.ts'
import { type CommandValues, UsageError } from './framework/command.ts'
import { chooseOrganization, withDatabase } from './framework/connection.ts'

/** The simulated network for a command: which organization and number is meant, and the customers to play. */
export type Simulation = { organization: Organization; number: NumberOnStage; customers: Customers }

export type NumberOnStage = { orgId: Organization['id']; id: string; displayPhone: string }

/**
 * Journals the hook and wakes a running server, which applies it like any other hook. The command waits for that, so a request
 * to the server after the command sees the result.
 */
export function withSimulation<Result>(
  values: CommandValues,
  work: (simulation: Simulation) => Promise<Result>,
): Promise<Result> {
  return withDatabase(async (database, config) => {
    const organization = await chooseSimulated(database, values.org)
    const row = chooseNumber(await listNumbers(database, organization.id), organization, values.number)
    const number = { orgId: organization.id, id: row.id, displayPhone: row.display_phone }
    const wakeUps = openWakeUps({ database, processId: newId('prc'), log: createLog('warn') })
    const { channels, customers } = await createStage(database, config, wakeUps)
    const begun = newId('jrn', systemClock.now() - 1)
    try {
      const result = await work({ organization, number, customers })
      await waitUntilApplied(database, number, begun)
      return result
    } finally {
      await channels.stop()
      await wakeUps.close()
    }
  })
}

/** Of several organizations, the only one with a simulator number is meant: customers cannot write to the others. */
async function chooseSimulated(database: Database, slug: CommandValues[string]): Promise<Organization> {
  if (slug !== undefined) return chooseOrganization(database, slug)
  const simulated: Organization[] = []
  for (const organization of await listOrganizations(database))
    if ((await listNumbers(database, organization.id)).some(isSimulatorNumber)) simulated.push(organization)
  const [only, ...others] = simulated
  return only !== undefined && others.length === 0 ? only : chooseOrganization(database, slug)
}

const WAIT_MS_MAX = 5_000
const LOOK_EVERY_MS = 20

/** Does not wait while no server runs: the hook then waits for the next server. */
async function waitUntilApplied(database: Database, number: NumberOnStage, after: string): Promise<void> {
  const live = await listLiveProcesses(database)
  if (!live.some(({ role }) => role !== 'api')) return
  const deadline = performance.now() + WAIT_MS_MAX
  const isWaiting = async () => (await countUnapplied(database, number.orgId, { numberId: number.id, after })).count > 0
  while (performance.now() < deadline && (await isWaiting()))
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
}

async function createStage(
  database: Database,
  config: Config,
  wakeUps: WakeUps,
): Promise<{ channels: Channels; customers: Customers }> {
  const wake = (orgIds: readonly OrgId[]) => wakeUps.send(orgIds)
  const egress = configuredEgress(config)
  const ground = { database, clock: systemClock, sender: (): Channels => channels }
  const channels: Channels = createChannels({
    ...{ database, wake, clock: systemClock, log: createLog('warn') },
    secretBox: channelSecretBox(await loadSecretKey(database, config)),
    storage: mediaStorage(config),
    connectors: createConnectors({ ...ground, userAgent: `Nexkit/${VERSION}`, egress, wake }),
    egress,
    publicUrl: publicUrlOf(config),
  })
  return { channels, customers: createCustomers(ground) }
}

function chooseNumber(
  rows: readonly BusinessNumber[],
  { slug }: Organization,
  named: CommandValues[string],
): BusinessNumber {
  const found = chooseSimulatorNumber(rows, named === undefined ? undefined : String(named))
  if (found !== null) return found
  const numbers = rows.filter(isSimulatorNumber)
  if (numbers.length === 0)
    throw new StartError(
      `The organization "${slug}" has no simulator number. Create one with: npx nexkit number create --org ${slug} --connector simulator --phone-number-id 100200300400500 --display-phone +6281200009000`,
    )
  const known = numbers.map((number) => `${number.id} (${number.display_phone})`).join(', ')
  throw new UsageError(`--number ${named} is not a simulator number of "${slug}". Use one of: ${known}.`)
}

/** As people of this country write it. */
export function readPhone(value: CommandValues[string], option: string, { default_country }: Organization): string {
  const phone = parsePhone(String(value), default_country)
  if (phone === null)
    throw new UsageError(`--${option} "${value}" is not a valid phone number. Write it like +6281311112222.`)
  return phone.e164
}
