import { afterAll, beforeAll } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiKeyCache } from '../../src/accounts/keys/api-key-cache.ts'
import { createKeyAuthenticator } from '../../src/accounts/keys/authenticate.ts'
import { createLastUsed } from '../../src/accounts/keys/last-used.ts'
import type { OrgId } from '../../src/kernel/ids.ts'
import { createRateLimiter } from '../../src/platform/http/limits/rate-limit.ts'
import type { Exchange } from '../../src/platform/http/pipeline/exchange.ts'
import { createFileStorage } from '../../src/platform/storage/file-storage.ts'
import { type CloudApi, createCloudApi } from '../../src/surfaces/cloud-api/cloud-api.ts'
import { cloudApiCapabilities } from '../../src/surfaces/cloud-api/cloud-api-capabilities.ts'
import { quietLog } from './log.ts'
import { aKey } from './makers.ts'
import type { ApiReply, MessagingBench, Shop } from './messaging.ts'

/** There are no webhooks on this bench. */
const noSubscriptions = {
  register: () => Promise.reject(new Error('there are no webhooks')),
  find: async () => null,
  unregister: async () => {},
  hasSecret: async () => false,
}

/** Meta's dialect in front of messaging as it runs, with real keys and real files. */
export type CloudApiBench = {
  fetch: CloudApi['fetch']
  /** What was logged, oldest first. */
  exchanges: Exchange[]
  /** With a key of the organization that may send. */
  call(orgId: OrgId, path: string, options?: CloudApiCallOptions): Promise<ApiReply>
  send(shop: Shop, message: Record<string, unknown>): Promise<ApiReply>
  /** All that uploads have left on the disk. */
  files(): string[]
}

export type CloudApiCallOptions = {
  method?: string
  json?: unknown
  body?: BodyInit
  headers?: Record<string, string>
  token?: string | null
}

const OWN_COLLECTIONS = ['me', 'chats', 'messages', 'contacts', 'orders', 'events']
export const CLOUD_API_ORIGIN = 'http://localhost:3900'

export function useCloudApi(bench: MessagingBench): CloudApiBench {
  const holder = {} as { api?: CloudApi; folder?: string; tokens: Map<OrgId, string> }
  const exchanges: Exchange[] = []
  beforeAll(() => {
    holder.tokens = new Map()
    holder.folder = mkdtempSync(join(tmpdir(), 'nexkit-cloud-api-'))
    holder.api = createBench(bench, holder.folder, exchanges)
  })
  afterAll(() => {
    if (holder.folder !== undefined) rmSync(holder.folder, { recursive: true, force: true })
  })
  const tokenOf = async (orgId: OrgId) => {
    const token = holder.tokens.get(orgId) ?? (await aKey(bench.database, orgId, { rateLimit: 'none' })).token
    holder.tokens.set(orgId, token)
    return token
  }
  const call: CloudApiBench['call'] = async (orgId, path, { method, json, body, headers = {}, token } = {}) => {
    const key = token === undefined ? await tokenOf(orgId) : token
    const content = json === undefined ? body : JSON.stringify(json)
    const request = new Request(`${CLOUD_API_ORIGIN}${path}`, {
      method: method ?? (content === undefined ? 'GET' : 'POST'),
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
    })
    const response = await holder.api?.fetch(request, () => '127.0.0.1')
    if (response == null) return { status: 0, headers: new Headers(), json: null }
    const text = await response.text()
    return { status: response.status, headers: response.headers, json: parse(text) }
  }
  return {
    fetch: (request, readSocketAddress) => (holder.api as CloudApi).fetch(request, readSocketAddress),
    exchanges,
    call,
    files: () =>
      readdirSync(holder.folder as string, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name),
    send: (shop, message) =>
      call(shop.orgId, `/api/public/v1/v24.0/${shop.phoneNumberId}/messages`, {
        json: { messaging_product: 'whatsapp', to: '+6281234567890', ...message },
      }),
  }
}

const parse = (text: string) => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function createBench(bench: MessagingBench, folder: string, exchanges: Exchange[]): CloudApi {
  const { database, clock, messaging } = bench
  const channels = { ...bench.channels, media: { ...bench.channels.media, storage: createFileStorage(folder) } }
  const authenticate = createKeyAuthenticator({
    cache: createApiKeyCache({ database, log: quietLog }),
    lastUsed: createLastUsed({ database, clock, log: quietLog }),
    clock,
    defaultRateLimit: { perSecond: 100, burst: 200 },
  })
  return createCloudApi({
    basePaths: ['/api/public/v1', '/public/v1'],
    ownCollections: OWN_COLLECTIONS,
    publicUrl: CLOUD_API_ORIGIN,
    linkKey: new Uint8Array(32).fill(1),
    bodyBytesMax: 256 * 1024,
    bodyTimeoutMs: 5000,
    mediaWaitMs: 200,
    database,
    clock,
    log: quietLog,
    authenticate,
    rateLimiter: createRateLimiter({ clock, entriesMax: 100 }),
    readClientAddress: (address) => address,
    onExchange: (exchange) => void exchanges.push(exchange),
    ...cloudApiCapabilities({ database, messaging, channels }),
    subscriptions: noSubscriptions,
    app: null,
  })
}
