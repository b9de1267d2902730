import type { Clock } from '../kernel/clock.ts'
import type { Id, OrgId } from '../kernel/ids.ts'
import type { Database, Queries } from '../platform/database/database.ts'
import type { SecretBox } from '../platform/database/secret-box.ts'
import type { Egress } from '../platform/outbound-http/egress.ts'
import type { Wake } from '../platform/outbox/outbox.ts'
import type { ShakeHands } from './endpoints/handshake.ts'

/** What the operations on endpoints and deliveries are handed. */
export type WebhooksContext = {
  database: Database
  clock: Clock
  secretBox: SecretBox
  egress: Egress
  wake: Wake
  shakeHands: ShakeHands
  /** The business number that a caller names by its id, its phone_number_id or its phone. */
  findNumber: FindNumber
  /** What signs for new endpoints in Meta's format, where the server emulates one app; null for a secret of each endpoint. */
  appSecret?: string | null
}

export type FindNumber = (queries: Queries, orgId: OrgId, reference: string) => Promise<Id<'num'> | null>
