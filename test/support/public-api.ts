import type { Clock } from '../../src/kernel/clock.ts'
import type { OrgId } from '../../src/kernel/ids.ts'
import { allScopes, type Scope } from '../../src/kernel/scopes.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { createSecretBox, deriveKey } from '../../src/platform/database/secret-box.ts'
import type { Route } from '../../src/platform/http/define-route.ts'
import { createRateLimiter } from '../../src/platform/http/limits/rate-limit.ts'
import { createCursorCodec } from '../../src/platform/http/pipeline/cursor.ts'
import { createPublicApi } from '../../src/platform/http/pipeline/public-api.ts'
import { createSharedTransactions } from '../../src/platform/http/pipeline/shared-transactions.ts'
import type { Log } from '../../src/platform/telemetry/log.ts'
import { quietLog } from './log.ts'

/** Some routes behind the real pipeline, called as any organization with any scopes: keys are tested elsewhere. */
export type TestCall = RequestInit & { orgId: OrgId; scopes?: readonly Scope[]; json?: unknown }

export function createTestApi(options: { database: Database; clock: Clock; routes: readonly Route[]; log?: Log }) {
  const { database, clock, routes } = options
  const secret = (purpose: string) => deriveKey('a secret for tests', purpose)
  const api = createPublicApi({
    routes,
    basePaths: ['/api/public/v1'],
    database,
    sharedTransactions: createSharedTransactions(database),
    authenticate: (request) => ({
      ok: true,
      caller: {
        type: 'key',
        id: 'key_test',
        orgId: request.headers.get('x-org') as OrgId,
        scopes: (request.headers.get('x-scopes') ?? '').split(',') as Scope[],
        rateLimit: null,
        expiresAt: null,
      },
    }),
    rateLimiter: createRateLimiter({ clock, entriesMax: 10 }),
    cursors: createCursorCodec(secret('cursors')),
    secretBox: createSecretBox(secret('stored replies')),
    clock,
    log: options.log ?? quietLog,
    docsUrl: 'http://localhost/docs',
    bodyBytesMax: 256 * 1024,
    bodyTimeoutMs: 5000,
    readClientAddress: () => '127.0.0.1',
    onExchange: () => {},
  })
  return async (
    method: string,
    path: string,
    { orgId, scopes = allScopes, json, ...init }: TestCall,
  ): Promise<Response> => {
    const headers = new Headers(init.headers)
    headers.set('x-org', orgId)
    headers.set('x-scopes', scopes.join())
    if (json !== undefined) headers.set('content-type', 'application/json')
    const body = json === undefined ? {} : { body: JSON.stringify(json) }
    const request = new Request(`http://localhost/api/public/v1${path}`, { ...init, method, headers, ...body })
    return (await api.fetch(request, () => '127.0.0.1')) as Response
  }
}
