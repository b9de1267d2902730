import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { RateLimiter } from '../../platform/http/limits/rate-limit.ts'
import type { Authenticate, Caller } from '../../platform/http/pipeline/caller.ts'
import type { Exchange } from '../../platform/http/pipeline/exchange.ts'
import type { HeaderList } from '../../platform/http/pipeline/reply.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import type { CloudApiMedia, CloudApiMessaging, CloudApiNumbers } from './cloud-api-messaging.ts'
import type { MediaLinks } from './media-links.ts'
import type { UploadReader } from './media-upload.ts'

export type CloudApiOptions = {
  basePaths: readonly string[]
  /** The first segments of our own paths, which are never the id of a number. */
  ownCollections: readonly string[]
  publicUrl: string
  /** Signs the addresses of files. */
  linkKey: Uint8Array
  bodyBytesMax: number
  bodyTimeoutMs: number
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
  headers: HeaderList
}

/** The answer as text, or as it is where it is a file. */
export type CloudApiReply = { status: number; body: string } | { response: Response; bytes: number }
