import type { MessageContent } from '../../channels/content/message-content.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { CompanionOf } from '../../platform/database/companions.ts'
import type { IdempotencyClaim } from '../../platform/http/pipeline/idempotency.ts'
import type { SenderType } from '../messages/messages.sql.ts'
import type { NumberEntry } from '../number-directory.ts'

/** A message that is to be accepted, with everything that was found out about it before the transaction. */
export type Outbound = {
  id: Id<'msg'>
  orgId: OrgId
  /** All of the organization's, for what chats show. */
  numbers: readonly NumberEntry[]
  numberId: Id<'num'>
  to: { kind: 'phone' | 'user_id' | 'contact'; value: string }
  content: MessageContent
  /** A template that people can stop. */
  isMarketing: boolean
  /** Sent instead when the reply window is closed. */
  outsideWindow: MessageContent | null
  /** Send only to a customer whose identity key is still this one. */
  identityKeyHash: string | null
  replyTo: Id<'msg'> | null
  sendAt: Date | null
  clientReference: string | null
  metadata: Record<string, string>
  orderId: string | null
  sender: { type: SenderType; id: string | null }
  requestId: Id<'req'> | null
  claim: IdempotencyClaim | null
  companion: CompanionOf | null
  /** The path under which the API shows messages, for the answer that is stored with the claim. */
  location: string | null
  nowMs: number
}
