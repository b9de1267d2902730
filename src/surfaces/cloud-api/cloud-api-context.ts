import type { ManagementCall, ManagementReply } from '../../channels/channel-connector.ts'
import type { MessageContent } from '../../channels/content/content.ts'
import type { FoundFiles, Media, MediaDraft } from '../../channels/media/media.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Scope } from '../../kernel/scopes.ts'
import type { Database } from '../../platform/database/database.ts'
import type { RateLimiter } from '../../platform/http/limits/rate-limit.ts'
import type { Authenticate, Caller } from '../../platform/http/pipeline/caller.ts'
import type { Exchange } from '../../platform/http/pipeline/exchange.ts'
import type { IdempotencyClaim } from '../../platform/http/pipeline/idempotency.ts'
import type { HeaderList } from '../../platform/http/pipeline/reply.ts'
import type { Log } from '../../platform/telemetry/log.ts'

/** What the dialect needs of the capabilities behind it; the wiring hands it in. Refusals are thrown as problems. */
export type CloudApiNumber = { id: Id<'num'>; phoneNumberId: string }

export type CloudApiNumberFacts = CloudApiNumber & {
  displayPhone: string
  name: string
  accountId: string
  /** Whether the network behind it answers calls about it in Graph's own form. */
  isManaged: boolean
  isSimulated: boolean
}

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

export type CloudApiNumbers = {
  /** Finds a number by the network's id or ours. Disconnected numbers are not found. */
  find(orgId: OrgId, phoneNumberId: string): Promise<CloudApiNumber | null>
  /** All that are connected, oldest first. */
  list(orgId: OrgId): Promise<CloudApiNumberFacts[]>
  /** Asks the network of the number. Null when it is no longer connected. */
  manage(orgId: OrgId, id: Id<'num'>, call: ManagementCall, signal: AbortSignal): Promise<ManagementReply | null>
}

/** Callbacks that bots register in Meta's way. */
export type CloudApiCallback = {
  /** What it is registered as: a callback that is there is changed. */
  name: string
  url: string
  verifyToken: string
  /** Null for all numbers, or for several. */
  number: string | null
  /** Ids of several numbers, where they are not all. */
  numbers?: readonly string[]
  /** Filters; all events of the format by default. */
  events?: string[]
}

export type RequestTrace = Pick<Exchange, 'requestId' | 'address'>

export type CloudApiSubscriptions = {
  /** With the secret of a new endpoint; one that is there keeps its own. */
  register(caller: Caller, callback: CloudApiCallback, request: RequestTrace): Promise<{ secret: string | null }>
  find(orgId: OrgId, name: string): Promise<{ url: string; isActive: boolean; events: readonly string[] } | null>
  unregister(caller: Caller, name: string, request: RequestTrace): Promise<void>
  /** Whether a callback in Meta's format is signed with this secret. */
  hasSecret(orgId: OrgId, secret: string): Promise<boolean>
}

/** The app that an emulator stands for. */
export type EmulatedApp = {
  id: string
  secret: string
  /** The texts that bots send as access tokens, and the API keys that they count as. */
  tokens: ReadonlyMap<string, string>
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

export type Upload = { draft: MediaDraft; mimeType: string; filename: string | null }

/** The draft is the caller's from then on: to be stored or discarded. */
export type UploadReader = (orgId: OrgId, request: Request, query: URLSearchParams) => Promise<Upload>

export type CloudApiOptions = {
  basePaths: readonly string[]
  /** The first segments of our own paths, which are never the id of a number. */
  ownCollections: readonly string[]
  publicUrl: string
  /** Signs the addresses of files. */
  linkKey: Uint8Array
  bodyBytesMax: number
  bodyTimeoutMs: number
  /** How long a call waits for a file that is being fetched from the network. */
  mediaWaitMs: number
  database: Database
  clock: Clock
  log: Log
  authenticate: Authenticate
  rateLimiter: RateLimiter
  readClientAddress: (socketAddress: string, request: Request) => string
  onExchange: (exchange: Exchange) => void
  messaging: CloudApiMessaging
  numbers: CloudApiNumbers
  media: CloudApiMedia
  subscriptions: CloudApiSubscriptions
  app: EmulatedApp | null
}

/** What a call is handed: the options, and what is created from them once. */
export type CloudApiContext = CloudApiOptions & { links: MediaLinks; readUpload: UploadReader }

/** One call while it is being worked on. */
export type CloudApiCall = {
  request: Request
  exchange: Exchange
  basePath: string
  query: URLSearchParams
  caller: Caller
  objectId: string
  edge: string | null
  item: string | null
  headers: HeaderList
}

/** A call that may come without a key. */
export type OpenCall = Omit<CloudApiCall, 'caller'> & {
  /** The key that it carries, or the refusal of one that is missing or does not have the scope. */
  admit(scope: Scope): Promise<{ caller: Caller; token: string }>
}

/** The answer as text, or as it is where it is a file. */
export type CloudApiReply = { status: number; body: string; isSecret?: boolean } | { response: Response; bytes: number }

/**
 * Addresses of files that are valid for five minutes, as Meta's are. The caller's key is required as well; the
 * signature limits the lifetime of an address and ties it to one organization.
 */
export type MediaLinks = {
  sign(orgId: OrgId, mediaId: string): string
  /** Checks the query that `sign` returned. */
  isValid(orgId: OrgId, mediaId: string, query: URLSearchParams): boolean
}
