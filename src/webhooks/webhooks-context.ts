import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { SecretBox } from '../platform/database/secret-box.ts'
import type { Egress } from '../platform/outbound-http/egress.ts'
import type { Wake } from '../platform/outbox/outbox.ts'

/** What the operations on endpoints and deliveries are handed. */
export type WebhooksContext = {
  database: Database
  clock: Clock
  secretBox: SecretBox
  egress: Egress
  wake: Wake
}
