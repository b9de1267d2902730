import { afterAll, beforeAll } from 'bun:test'
import { type App, type AppOptions, createApp } from '../../src/app.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { loopbackEgress } from './egress.ts'
import { quietLog } from './log.ts'
import { createMemoryStorage } from './memory-storage.ts'
import { rememberedPasswords } from './remembered-passwords.ts'
import { TEST_SECRET_KEY } from './secret-key.ts'

/** The whole app in this process, on a separate database. Requests go in as Request and come out as Response. */
export type TestApp = TestDatabase & Callable & { app: App }

/** What answers calls: an app of the test's own process, or servers. */
export type Callable = {
  call(path: string, options?: RequestInit & { token?: string; json?: unknown; address?: string }): Promise<Response>
}

export const testAppOptions = (db: TestDatabase, overrides: Partial<AppOptions> = {}): AppOptions => ({
  database: db.database,
  migrations: db.migrations,
  secretKey: TEST_SECRET_KEY,
  publicUrl: 'http://localhost:3900',
  log: quietLog,
  role: 'all',
  version: '0.0.0-test',
  trustedProxies: [],
  metricsToken: null,
  rateLimit: { perSecond: 100, burst: 200 },
  egress: loopbackEgress,
  mediaStorage: createMemoryStorage(),
  isRequestLogOn: true,
  requestLogRetentionDays: 30,
  consoleFolder: null,
  docsFolder: null,
  isClientRegistrationOn: true,
  passwords: rememberedPasswords,
  ...overrides,
})

/** `given` is called when the parts that were started before are there. */
export function useTestApp(given: Partial<AppOptions> | (() => Partial<AppOptions>) = {}): TestApp {
  const holder = {} as { app?: App; db?: TestDatabase }
  beforeAll(async () => {
    holder.db = await createTestDatabase()
    holder.app = createApp(testAppOptions(holder.db, typeof given === 'function' ? given() : given))
    await holder.app.start()
  })
  afterAll(async () => {
    await holder.app?.stop()
    await holder.db?.close()
  })
  const call: TestApp['call'] = async (path, options = {}) => {
    const { token, json, address, ...init } = options
    const headers = new Headers(init.headers)
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    if (json !== undefined) headers.set('content-type', 'application/json')
    const request = new Request(`http://localhost:3900${path}`, {
      ...init,
      headers,
      ...(json !== undefined && { body: JSON.stringify(json), method: init.method ?? 'POST' }),
    })
    return (holder.app as App).fetch(request, () => address ?? '127.0.0.1')
  }
  return new Proxy({} as TestApp, {
    get(_, name) {
      if (name === 'call') return call
      if (name === 'app') return holder.app
      return Reflect.get(holder.db ?? {}, name)
    },
  })
}
