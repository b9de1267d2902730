import { createApiKeyCache } from '../src/accounts/keys/api-key-cache.ts'
import { createKeyAuthenticator } from '../src/accounts/keys/authenticate.ts'
import { createLastUsed } from '../src/accounts/keys/last-used.ts'
import { createChannels } from '../src/channels/channels.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { createMessaging, messagingRoutes } from '../src/messaging/messaging.ts'
import { openDatabase } from '../src/platform/database/database.ts'
import { createSecretBox, deriveKey } from '../src/platform/database/secret-box.ts'
import { createTableStatistics } from '../src/platform/database/table-statistics.ts'
import { createRequestAddressReader } from '../src/platform/http/limits/client-address.ts'
import { createRateLimiter } from '../src/platform/http/limits/rate-limit.ts'
import { createCursorCodec } from '../src/platform/http/pipeline/cursor.ts'
import { createPublicApi } from '../src/platform/http/pipeline/public-api.ts'
import { listen } from '../src/platform/runtime/server.ts'
import { createLog } from '../src/platform/telemetry/log.ts'
import { createRequestLogWriter } from '../src/request-logs/request-log-writer.ts'
import { loopbackEgress } from '../test/support/egress.ts'
import { createMemoryStorage } from '../test/support/memory-storage.ts'
import { createScriptedChannel } from '../test/support/scripted-channel.ts'

/**
 * The API side of messaging in a process of its own, as `nexkit serve --role api` would run it: keys checked, requests
 * logged, messages accepted. Nothing is sent from here, so what is measured is acceptance.
 */
const database = openDatabase({ url: process.env.BENCH_DATABASE_URL as string })
const log = createLog('error')
const clock = systemClock
const secret = (purpose: string) => deriveKey('a secret of the bench', purpose)
const lastUsed = createLastUsed({ database, clock, log })
const cache = createApiKeyCache({ database, log })
const requestLog = createRequestLogWriter({ database, clock, log })
const channels = createChannels({
  database,
  clock,
  log,
  secretBox: createSecretBox(secret('numbers')),
  storage: createMemoryStorage(),
  connectors: [createScriptedChannel()],
  egress: loopbackEgress,
  publicUrl: 'http://127.0.0.1',
  wake: () => {},
})
const messaging = createMessaging({ database, clock, log, channels, wake: () => {} })
const api = createPublicApi({
  routes: messagingRoutes(messaging.context),
  basePaths: ['/api/public/v1'],
  database,
  authenticate: createKeyAuthenticator({ cache, lastUsed, clock, defaultRateLimit: { perSecond: 100, burst: 200 } }),
  rateLimiter: createRateLimiter({ clock, entriesMax: 1_000 }),
  cursors: createCursorCodec(secret('cursors')),
  secretBox: createSecretBox(secret('stored replies')),
  clock,
  log,
  docsUrl: 'http://127.0.0.1/docs',
  bodyBytesMax: 256 * 1024,
  bodyTimeoutMs: 30_000,
  readClientAddress: createRequestAddressReader([]),
  onExchange: (exchange) => requestLog.record(exchange),
})
const parts = [lastUsed, cache, createTableStatistics({ database, log }), requestLog, channels, messaging]
for (const part of parts) await part.start()
const server = listen({
  host: '127.0.0.1',
  port: Number(process.env.PORT),
  bodyBytesMax: 1024 * 1024,
  handle: (request, readSocketAddress) => api.fetch(request, readSocketAddress) ?? new Response(null, { status: 404 }),
  onError: () => new Response(null, { status: 500 }),
})
process.on('SIGTERM', async () => {
  await server.drain(1_000)
  for (const part of parts.toReversed()) await part.stop()
  await database.close()
  process.exit(0)
})
process.stdout.write('ready\n')
