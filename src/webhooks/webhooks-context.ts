import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { SecretBox } from '../platform/database/secret-box.ts'
import type { EndpointUrlPolicy } from './endpoint-url.ts'
import type { LaneBell } from './lane-bell.ts'

/** What the operations on endpoints and deliveries are handed. */
export type WebhooksContext = {
  database: Database
  clock: Clock
  secretBox: SecretBox
  urlPolicy: EndpointUrlPolicy
  bell: LaneBell
}
