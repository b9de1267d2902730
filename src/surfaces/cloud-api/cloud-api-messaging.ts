import type { MessageContent } from '../../channels/content/content.ts'
import type { FoundFiles, Media, MediaDraft } from '../../channels/media/media.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Caller } from '../../platform/http/pipeline/caller.ts'
import type { IdempotencyClaim } from '../../platform/http/pipeline/idempotency.ts'

/** What the dialect needs of the capabilities behind it; the wiring hands it in. Refusals are thrown as problems. */
export type CloudApiNumber = { id: Id<'num'>; phoneNumberId: string }

export type CloudApiNumberFacts = CloudApiNumber & { displayPhone: string; name: string }

export type CloudApiRecipient = { phone: string } | { userId: string }

export type CloudApiMessage = {
  numberId: Id<'num'>
  to: CloudApiRecipient
  content: MessageContent
  /** Ours. */
  replyTo: Id<'msg'> | null
  clientReference: string | null
  identityKeyHash: string | null
  /** Stored with it is the message as our own API shows it; its id is all that an answer of the dialect needs. */
  claim: IdempotencyClaim | null
  requestId: Id<'req'>
}

export type CloudApiMessaging = {
  /** Sends to the same chats as every other way of sending. */
  sendMessage(caller: Caller, message: CloudApiMessage): Promise<{ id: Id<'msg'> }>
  /** A message of this number, by our own id or by the provider's. */
  findMessage(
    orgId: OrgId,
    numberId: Id<'num'>,
    name: { id: Id<'msg'> } | { providerId: string },
  ): Promise<{ id: Id<'msg'> } | null>
  /** This message and all before it in its chat. */
  markRead(caller: Caller, read: { messageId: Id<'msg'>; isTyping: boolean; requestId: Id<'req'> }): Promise<void>
}

export type CloudApiTemplate = {
  name: string
  language: string
  status: string
  category: string
  components: Record<string, unknown>[]
}

export type CloudApiNumbers = {
  /** Finds a number by the network's id or ours. Disconnected numbers are not found. */
  find(orgId: OrgId, phoneNumberId: string): Promise<CloudApiNumber | null>
  describe(orgId: OrgId, id: Id<'num'>): Promise<CloudApiNumberFacts>
  /** The templates of the business account or the number with this id; null when there is neither. */
  listTemplates(orgId: OrgId, accountId: string, signal: AbortSignal): Promise<CloudApiTemplate[] | null>
}

export type NewUpload = { draft: MediaDraft; mimeType: string; filename: string | null; numberId: Id<'num'> }

export type CloudApiMedia = {
  /** The files that a message names, and what is wrong with them. */
  check(orgId: OrgId, content: MessageContent): Promise<FoundFiles>
  begin(): Promise<MediaDraft>
  store(orgId: OrgId, upload: NewUpload): Promise<Media>
  /** Null when it does not exist. */
  find(orgId: OrgId, id: string): Promise<Media | null>
  /** Null when it does not exist or its bytes are not stored. */
  open(orgId: OrgId, id: string): Promise<{ media: Media; stream: ReadableStream<Uint8Array> } | null>
  /** False when it does not exist. */
  delete(orgId: OrgId, id: string): Promise<boolean>
}
