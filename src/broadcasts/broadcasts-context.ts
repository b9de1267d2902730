import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Messaging } from '../messaging/messaging.ts'
import type { Database } from '../platform/database/database.ts'

export type BroadcastsContext = {
  database: Database
  clock: Clock
  messaging: Pick<Messaging, 'context' | 'queueMessage' | 'ensureContact'>
  wake: (orgIds: readonly OrgId[]) => void
}
