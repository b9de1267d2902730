import { beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { z } from 'zod'
import { describedRoutes } from '../../src/boot/public-routes.ts'
import { useTestApp } from '../support/app.ts'
import { aKey, anOrganization } from '../support/makers.ts'

/** Whatever a client sends gets a precise answer below 500, as a problem document, with a request id. */
const nexkit = useTestApp({ rateLimit: { perSecond: 1_000_000, burst: 1_000_000 } })
let token: string

beforeAll(async () => {
  const { id } = await anOrganization(nexkit.database)
  token = (await aKey(nexkit.database, id, { rateLimit: 'none' })).token
})

const routes = describedRoutes()
/** A wrong method is answered 400 in the dialect, as the graph does. */
const ownRoutes = routes.filter((route) => route.dialect === undefined)
const bases = ['/api/public/v1', '/public/v1']

/** Strings that have broken something somewhere. */
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '%',
    '%00',
    '%FF',
    '..',
    '../../etc',
    '\u0000',
    '💥',
    "' or 1=1 --",

    '{{x}}',
    '1e999',
    '-0',
    'null',
    '[]',
    '__proto__',
    'ord_',
    `evt_${'7'.repeat(26)}`,
    'a'.repeat(5000),
  ),
)

const path = fc.oneof(
  fc
    .tuple(fc.constantFrom(...bases), fc.constantFrom(...routes.map((route) => route.path)), nasty)
    .map(
      ([base, template, value]) => base + template.replaceAll(/\{[^}]+\}/g, encodeURIComponent(toWellFormed(value))),
    ),
  fc.tuple(fc.constantFrom(...bases), fc.webPath()).map(([base, rest]) => base + rest),
)

const toWellFormed = (text: string) => text.toWellFormed()

const query = fc
  .array(fc.tuple(fc.oneof(nasty, fc.constantFrom('limit', 'cursor', 'after', 'types', 'subject')), nasty), {
    maxLength: 4,
  })
  .map((pairs) =>
    new URLSearchParams(pairs.map(([name, value]) => [toWellFormed(name), toWellFormed(value)])).toString(),
  )

const body = fc.oneof(
  fc.json().map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom('{', '{"a":1,"a":2}', '['.repeat(100), '"\\ud800"', '1e400', '\ufeff{}', '')
    .map((text) => Buffer.from(text)),
)

const headers = fc.record(
  {
    accept: fc.constantFrom('*/*', 'text/html', 'application/json', ';;;', 'application/json;q=0'),
    'content-type': fc.constantFrom(
      'application/json',
      'text/plain',
      'application/json; charset=latin1',
      ';',
      'multipart/form-data',
    ),
    'content-encoding': fc.constantFrom('gzip', 'br', 'identity', 'nonsense'),
    'idempotency-key': fc.stringMatching(/^[ -~]{0,300}$/),
    'if-match': fc.stringMatching(/^[ -~]{0,40}$/),
    'if-none-match': fc.stringMatching(/^[ -~]{0,40}$/),
    'accept-encoding': fc.constantFrom('gzip', 'br;q=0', '*', ';q=', 'gzip;q=2'),
    'x-forwarded-for': fc.stringMatching(/^[ -~]{0,60}$/),
    'x-request-id': fc.stringMatching(/^[ -~]{0,200}$/),
  },
  { requiredKeys: [] },
)

/** Among these is the dialect of Meta's Cloud API, which is spoken in refusals, too. */
const CLOUD_API_PATH = /\/public\/v1\/+(v\d|\d{5,})/

async function expectEnvelope(response: Response): Promise<void> {
  const { error } = (await response.json()) as { error: { code: number; message: string; fbtrace_id: string } }
  expect(error.code).toBeNumber()
  expect(error.message.length).toBeGreaterThan(5)
  expect(error.fbtrace_id.length).toBeGreaterThan(5)
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND']

test('a thousand hostile requests: never a 500, always a request id, every refusal a problem document', async () => {
  await fc.assert(
    fc.asyncProperty(
      path,
      query,
      fc.constantFrom(...METHODS),
      headers,
      body,
      fc.boolean(),
      async (target, search, method, extra, bytes, isSigned) => {
        const response = await nexkit.call(`${target}${search === '' ? '' : `?${search}`}`, {
          method,
          headers: extra as Record<string, string>,
          ...(isSigned && { token }),
          ...(method !== 'GET' && method !== 'HEAD' && { body: bytes }),
        })
        expect(response.status).toBeLessThan(500)
        expect(response.headers.get('x-request-id')).toMatch(/^req_/)
        if (response.status >= 400 && method !== 'HEAD' && !response.headers.has('content-encoding')) {
          const isOfDialect = CLOUD_API_PATH.test(new URL(target, 'http://localhost').pathname)
          if (isOfDialect && response.headers.get('content-type') !== 'application/problem+json')
            return expectEnvelope(response)
          expect(response.headers.get('content-type')).toBe('application/problem+json')
          const problem = (await response.json()) as { status: number; code: string; detail: string }
          expect(problem.status).toBe(response.status)
          expect(problem.detail.length).toBeGreaterThan(10)
        }
      },
    ),
    { numRuns: 1000 },
  )
})

test('every path with a method it does not have answers 405 with exactly its methods', async () => {
  for (const base of bases) {
    for (const template of new Set(ownRoutes.map((route) => route.path))) {
      const own = routes.filter((route) => route.path === template).map((route) => route.method as string)
      const target = base + template.replaceAll(/\{[^}]+\}/g, 'x')
      for (const method of METHODS.slice(0, 5).filter((name) => !own.includes(name))) {
        const response = await nexkit.call(target, { method, token })
        expect([target, method, response.status]).toEqual([target, method, 405])
        const allowed = response.headers.get('allow')?.split(', ') ?? []
        expect(allowed.filter((name) => name !== 'HEAD' && name !== 'OPTIONS').sort()).toEqual([...own].sort())
      }
    }
  }
})

test('a query parameter that holds NUL is refused by name, on every route', async () => {
  const asked = ownRoutes.filter((route) => route.query !== undefined)
  expect(asked.length).toBeGreaterThan(5)
  for (const route of asked) {
    for (const name of Object.keys((route.query as z.ZodObject).shape)) {
      const target = `/public/v1${route.path.replaceAll(/\{[^}]+\}/g, 'x')}?${name}=a%00b`
      const response = await nexkit.call(target, { method: route.method, token })
      const { errors } = (await response.json()) as { errors?: { parameter: string }[] }
      expect([target, response.status, errors?.[0]?.parameter]).toEqual([target, 400, name])
    }
  }
})

test('every route refuses a call without a key, and one with a key that lacks its scope', async () => {
  const { id } = await anOrganization(nexkit.database)
  const { token: powerless } = await aKey(nexkit.database, id, { scopes: [], rateLimit: 'none' })
  for (const route of routes.filter((candidate) => candidate.access.type === 'key')) {
    const target = `/public/v1${route.path.replaceAll(/\{[^}]+\}/g, 'x')}`
    expect([route.id, (await nexkit.call(target, { method: route.method })).status]).toEqual([route.id, 401])
    const scoped = route.access.type === 'key' && route.access.scope !== null
    if (scoped)
      expect([route.id, (await nexkit.call(target, { method: route.method, token: powerless })).status]).toEqual([
        route.id,
        403,
      ])
  }
})

test('a hook takes batches of up to three megabytes, though the API beside it takes far less', async () => {
  const path = '/hooks/whatsapp-cloud/num_01k9x3m5q8e0t9v7a2b4c6d8fg'
  const post = async (bytes: number) => (await nexkit.call(path, { method: 'POST', body: 'x'.repeat(bytes) })).status
  expect([await post(10), await post(3 * 1024 * 1024), await post(3 * 1024 * 1024 + 1)]).toEqual([404, 404, 413])
})
