import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChannelConnector } from '../../src/channels/channel-connector.ts'
import { type Channels, createChannels } from '../../src/channels/channels.ts'
import { createWhatsAppCloud } from '../../src/channels/connectors/whatsapp-cloud/whatsapp-cloud.ts'
import { type JournalEntry, journalTable } from '../../src/channels/journal/journal.ts'
import type { NewNumberInput } from '../../src/channels/numbers/numbers.schemas.ts'
import { type BusinessNumber, createNumber } from '../../src/channels/numbers/numbers.ts'
import { type Clock, systemClock } from '../../src/kernel/clock.ts'
import type { OrgId } from '../../src/kernel/ids.ts'
import { ensurePartitions } from '../../src/platform/database/daily-partitions.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { createSecretBox, deriveKey } from '../../src/platform/database/secret-box.ts'
import { createFileStorage } from '../../src/platform/storage/file-storage.ts'
import { loopbackEgress } from './egress.ts'
import { GRAPH_TOKEN } from './graph-server.ts'
import { quietLog } from './log.ts'
import { TEST_SECRET_KEY } from './secret-key.ts'

/** Channels without the wiring: real tables, real files in a folder of their own, and the connectors of the test. */
export type TestChannels = Channels & { wokenOrgs: string[]; mediaFolder: string; remove(): void }

export const TEST_APP_SECRET = 'anAppSecretForTests'
export const TEST_VERIFY_TOKEN = 'a verify token for tests'

export async function createTestChannels(
  database: Database,
  options: { connectors?: ChannelConnector[]; clock?: Clock; wake?: Wake } = {},
): Promise<TestChannels> {
  const clock = options.clock ?? systemClock
  await ensurePartitions(database, journalTable, clock.now())
  return createTestChannelsAt(database, clock, options.connectors, options.wake)
}

/** Wakes the outbox of a test. Without it work waits for a look that is taken four times a second. */
type Wake = (orgIds: readonly OrgId[]) => void

/** Without preparing the tables. */
export function createTestChannelsAt(
  database: Database,
  clock: Clock,
  connectors: ChannelConnector[] = [
    createWhatsAppCloud({ egress: loopbackEgress, userAgent: 'Nexkit/test', timeoutMs: 60_000 }),
  ],
  wake: Wake = () => {},
): TestChannels {
  const mediaFolder = mkdtempSync(join(tmpdir(), 'nexkit-media-'))
  const wokenOrgs: string[] = []
  const channels = createChannels({
    database,
    clock,
    log: quietLog,
    secretBox: createSecretBox(deriveKey(TEST_SECRET_KEY, 'channel credentials')),
    storage: createFileStorage(mediaFolder),
    connectors,
    egress: loopbackEgress,
    publicUrl: 'http://localhost:3900',
    wake(orgIds) {
      wokenOrgs.push(...orgIds)
      wake(orgIds)
    },
  })
  return { ...channels, wokenOrgs, mediaFolder, remove: () => rmSync(mediaFolder, { recursive: true, force: true }) }
}

let counter = 0

export const aNewNumber = (fields: Partial<NewNumberInput> = {}): NewNumberInput => {
  counter += 1
  return {
    connector: 'whatsapp-cloud',
    phone_number_id: String(106_540_000_000_000 + process.pid * 1000 + counter),
    display_phone: `+62215${String(100_000 + counter)}`,
    credentials: { access_token: GRAPH_TOKEN, app_secret: TEST_APP_SECRET, verify_token: TEST_VERIFY_TOKEN },
    ...fields,
  }
}

export const aNumber = async (
  channels: Pick<Channels, 'context'>,
  orgId: OrgId,
  fields: Partial<NewNumberInput> = {},
): Promise<BusinessNumber> =>
  (await channels.context.database.transaction((tx) => createNumber(channels.context, tx, orgId, aNewNumber(fields))))
    .number

/** What one number's network said, newest first. */
export const journalOf = (database: Database, orgId: OrgId, numberId: string) =>
  database.many<JournalEntry>`
    select org_id, id, number_id, body, applied_at, problem from channel_journal
    where org_id = ${orgId} and number_id = ${numberId}
    order by id desc limit 100`
