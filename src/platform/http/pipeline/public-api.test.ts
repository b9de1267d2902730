import { beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { useTestDatabase } from '../../../../test/support/database.ts'
import { quietLog } from '../../../../test/support/log.ts'
import { systemClock } from '../../../kernel/clock.ts'
import { defineError } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { createSecretBox } from '../../database/secret-box.ts'
import { anyKey, defineChange, defineRoute, key, type Route } from '../define-route.ts'
import { createRateLimiter } from '../limits/rate-limit.ts'
import { cursorParameter, listOf } from '../schemas.ts'
import type { Authentication } from './caller.ts'
import { createCursorCodec } from './cursor.ts'
import type { Exchange } from './exchange.ts'
import { findStoredReply, insertStoredReply } from './idempotency.sql.ts'
import { IdempotencyRaceLost } from './idempotency.ts'
import { createPublicApi, type PublicApi } from './public-api.ts'

/** The pipeline with test routes: notes that can be written, listed, refused and broken. */
const db = useTestDatabase()
const orgId = newId('org')
const noteTaken = defineError({
  code: 'test_note_taken',
  status: 409,
  title: 'Taken',
  says: 'This note exists.',
  cause: 'Test.',
  fix: 'Test.',
})

const NoteBody = z.strictObject({
  text: z.string().min(1).max(20),
  colour: z.enum(['red', 'green']).optional(),
  tags: z
    .array(z.strictObject({ name: z.string() }))
    .max(3)
    .optional(),
})
const Note = z.object({ id: z.string(), text: z.string() })

const routes: Route[] = [
  defineRoute({
    id: 'listNotes',
    method: 'GET',
    path: '/notes',
    tag: 'Notes',
    summary: 'List',
    description: 'List',
    access: anyKey,
    query: z.strictObject({
      limit: z.int().min(1).max(100).default(25),
      is_open: z.boolean().optional(),
      status: z.array(z.enum(['a', 'b'])).optional(),
    }),
    reply: { status: 200, body: z.object({ query: z.unknown() }) },
    example: { reply: {} },
    handle: ({ query }) => ({ query, secret: 'must not leave' }),
  }),
  defineRoute({
    id: 'listPages',
    method: 'GET',
    path: '/pages',
    tag: 'Notes',
    summary: 'List',
    description: 'List',
    access: anyKey,
    query: z.strictObject({ q: z.string().optional(), cursor: cursorParameter }),
    reply: { status: 200, body: listOf(Note) },
    example: { reply: {} },
    handle: ({ query, path }) => {
      const isLast = query.cursor === 'c2'
      return { object: 'list' as const, data: [], has_more: !isLast, next_cursor: isLast ? null : 'c2', url: path }
    },
  }),
  defineRoute({
    id: 'createNote',
    method: 'POST',
    path: '/notes',
    tag: 'Notes',
    summary: 'Create',
    description: 'Create',
    access: key('orders:write'),
    idempotency: 'transaction',
    body: NoteBody,
    reply: { status: 201, body: Note },
    location: (note) => `/notes/${note.id}`,
    example: { reply: {} },
    async handle({ body, tx }) {
      const id = newId('ord')
      await tx.run`insert into notes (id, text) values (${id}, ${body.text})`
      if (body.text === 'taken') throw noteTaken()
      if (body.text === 'broken') throw new Error('the handler has a bug')
      if (body.text === 'slow') await tx.run`select pg_sleep(0.4)`
      return { id, text: body.text }
    },
  }),
  defineRoute({
    id: 'createSecretNote',
    method: 'POST',
    path: '/secret-notes',
    tag: 'Notes',
    summary: 'Create',
    description: 'Create',
    access: anyKey,
    idempotency: 'transaction',
    showsSecret: true,
    reply: { status: 201, body: z.object({ secret: z.string() }) },
    example: { reply: {} },
    handle: () => ({ secret: `whsec_${newId('ord')}` }),
  }),
  defineRoute({
    id: 'appendNote',
    method: 'POST',
    path: '/journal',
    tag: 'Notes',
    summary: 'Append',
    description: 'Append',
    access: anyKey,
    idempotency: 'own',
    body: NoteBody,
    reply: { status: 201, body: Note },
    example: { reply: {} },
    async handle({ body, claim, caller }) {
      const note = { id: newId('ord'), text: body.text }
      await db.database.transaction(async (tx) => {
        await tx.script('lock table notes in exclusive mode')
        if (claim !== null) {
          if ((await findStoredReply(tx, caller.orgId, claim)) !== null) throw new IdempotencyRaceLost()
          const reply = { status: 201, body: JSON.stringify(note), location: null }
          await insertStoredReply(tx, caller.orgId, claim, reply)
        }
        await tx.run`insert into notes (id, text) values (${note.id}, ${note.text})`
      })
      return note
    },
  }),
  defineRoute({
    id: 'getNote',
    method: 'GET',
    path: '/notes/{id}',
    tag: 'Notes',
    summary: 'Get',
    description: 'Get',
    access: anyKey,
    params: z.object({ id: z.string() }),
    reply: { status: 200, body: z.object({ id: z.string(), padding: z.string() }) },
    example: { reply: {} },
    handle: ({ params }) => ({ id: params.id, padding: 'x'.repeat(2000) }),
  }),
]

let api: PublicApi
let exchanges: Exchange[] = []

const callers: Record<string, Authentication> = {
  all: {
    ok: true,
    caller: { type: 'key', id: 'key_all', orgId, scopes: ['orders:write'], rateLimit: null, expiresAt: null },
  },
  reader: {
    ok: true,
    caller: { type: 'key', id: 'key_reader', orgId, scopes: ['orders:read'], rateLimit: null, expiresAt: null },
  },
  slow: {
    ok: true,
    caller: { type: 'key', id: 'key_slow', orgId, scopes: [], rateLimit: { perSecond: 1, burst: 2 }, expiresAt: null },
  },
  polling: {
    ok: true,
    caller: {
      type: 'key',
      id: 'key_polling',
      orgId,
      scopes: [],
      rateLimit: { perSecond: 1, burst: 2 },
      expiresAt: null,
    },
  },
  ending: {
    ok: true,
    caller: {
      type: 'key',
      id: 'key_ending',
      orgId,
      scopes: [],
      rateLimit: null,
      expiresAt: new Date(Date.now() + 60_000),
    },
  },
}

const mount = (mounted: readonly Route[]) =>
  createPublicApi({
    routes: mounted,
    basePaths: ['/api/public/v1', '/public/v1'],
    database: db.database,
    authenticate: (request) =>
      callers[request.headers.get('authorization')?.slice(7) ?? ''] ?? {
        ok: false,
        failure: 'missing',
        credentialSent: request.headers.has('authorization'),
      },
    rateLimiter: createRateLimiter({ clock: systemClock, entriesMax: 100 }),
    cursors: createCursorCodec(Buffer.alloc(32)),
    secretBox: createSecretBox(Buffer.alloc(32, 7)),
    clock: systemClock,
    log: quietLog,
    docsUrl: 'http://localhost/docs',
    bodyBytesMax: 1024,
    bodyTimeoutMs: 1000,
    readClientAddress: (address) => address,
    onExchange: (exchange) => exchanges.push(exchange),
  })

beforeAll(async () => {
  await db.database.script('create table notes (id text primary key, text text not null)')
  api = mount(routes)
})

type CallOptions = RequestInit & { as?: string; json?: unknown; from?: string }

async function call(
  path: string,
  { as = 'all', json, from = '203.0.113.9', ...init }: CallOptions = {},
): Promise<Response> {
  const headers = new Headers(init.headers)
  if (as !== '') headers.set('authorization', `Bearer ${as}`)
  if (json !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json')
  const request = new Request(`http://localhost${path}`, {
    ...init,
    headers,
    ...(json !== undefined && {
      method: init.method ?? 'POST',
      body: typeof json === 'string' ? json : JSON.stringify(json),
    }),
  })
  return (await api.fetch(request, () => from)) as Response
}

type ProblemBody = {
  code: string
  status: number
  detail: string
  request_id: string
  errors: {
    pointer?: string
    parameter?: string
    code: string
    detail: string
    params?: { allowed?: string[]; suggestion?: string }
  }[]
  params: Record<string, unknown>
}

async function problem(response: Response): Promise<ProblemBody> {
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  const body = (await response.json()) as ProblemBody
  expect(body.status).toBe(response.status)
  expect(body.request_id).toBe(response.headers.get('x-request-id') as string)
  return body
}

const countNotes = async (text: string) =>
  (await db.database.one<{ count: number }>`select count(*)::int as count from notes where text = ${text}`).count

describe('200', () => {
  test('both base paths answer alike and are logged under one path', async () => {
    exchanges = []
    for (const base of ['/api/public/v1', '/public/v1']) expect((await call(`${base}/notes`)).status).toBe(200)
    expect(exchanges.map((exchange) => exchange.path)).toEqual(['/notes', '/notes'])
    expect(exchanges.map((exchange) => exchange.route?.id)).toEqual(['listNotes', 'listNotes'])
  })

  test('query values arrive as the types the schema declares, with defaults', async () => {
    const response = await call('/public/v1/notes?limit=7&is_open=false&status=a,b')
    expect(await response.json()).toEqual({ query: { limit: 7, is_open: false, status: ['a', 'b'] } })
    expect(await (await call('/public/v1/notes')).json()).toEqual({ query: { limit: 25 } })
  })

  test('a member the reply schema does not name never leaves', async () => {
    expect(await (await call('/public/v1/notes')).text()).not.toContain('must not leave')
  })

  test('HEAD answers like GET without a body', async () => {
    const response = await call('/public/v1/notes', { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
    expect(response.headers.get('etag')).toBe((await call('/public/v1/notes')).headers.get('etag') as string)
  })

  test('HEAD answers with the length of the body of GET', async () => {
    for (const path of ['/public/v1/notes', '/public/v1/nowhere']) {
      const { headers } = await call(path, { method: 'HEAD' })
      const text = await (await call(path)).text()
      expect([path, headers.get('content-length')]).toEqual([path, String(Buffer.byteLength(text))])
    }
  })

  test('a page that is not the last links to the next one, under the same base path and with the same filters', async () => {
    const first = await call('/public/v1/pages?cursor=c1&q=kopi%20%2B%3E')
    expect(first.headers.get('link')).toBe('</public/v1/pages?cursor=c2&q=kopi+%2B%3E>; rel="next"')
    const second = await call('/public/v1/pages?cursor=c2&q=kopi+%2B%3E')
    expect([second.status, second.headers.get('link')]).toEqual([200, null])
  })

  test('an entity tag that still fits is answered 304 without a body', async () => {
    const first = await call('/public/v1/notes')
    const second = await call('/public/v1/notes', { headers: { 'if-none-match': first.headers.get('etag') as string } })
    expect(second.status).toBe(304)
    expect(second.headers.get('x-request-id')).toStartWith('req_')
  })

  test('of many entity tags in one header, one that still fits is enough', async () => {
    const tag = (await call('/public/v1/notes')).headers.get('etag') as string
    const others = Array.from({ length: 300 }, (_, index) => `W/"${String(index).padStart(30, '0')}"`).join(', ')
    expect(others.length).toBeGreaterThan(10_000)
    for (const [given, status] of [
      [others, 200],
      [`${others}, ${tag}`, 304],
    ] as const)
      expect((await call('/public/v1/notes', { headers: { 'if-none-match': given } })).status).toBe(status)
  })

  test('a list of entity tags that is too long is refused with an explanation', async () => {
    for (const [characters, status] of [
      [12_288, 200],
      [12_289, 400],
      [15_000, 400],
    ] as const) {
      const response = await call('/public/v1/notes', { headers: { 'if-none-match': 'x'.repeat(characters) } })
      expect([characters, response.status]).toEqual([characters, status])
      if (status === 400) expect(await response.json()).toMatchObject({ code: 'if_none_match_too_long' })
    }
  })

  test('a large answer is compressed when asked, and means the same', async () => {
    for (const encoding of ['gzip', 'br']) {
      const response = await call('/public/v1/notes/abc', { headers: { 'accept-encoding': encoding } })
      expect(response.headers.get('content-encoding')).toBe(encoding)
      const bytes = await response.arrayBuffer()
      expect(bytes.byteLength).toBeLessThan(500)
      const zlib = await import('node:zlib')
      const text = (encoding === 'gzip' ? zlib.gunzipSync(bytes) : zlib.brotliDecompressSync(bytes)).toString()
      expect(JSON.parse(text).id).toBe('abc')
    }
  })

  test('path values are percent-decoded once', async () => {
    expect(((await (await call('/public/v1/notes/%2B62%25')).json()) as { id: string }).id).toBe('+62%')
  })

  test('a key that ends within two weeks says so on every answer', async () => {
    expect((await call('/public/v1/notes', { as: 'ending' })).headers.get('key-expires-at')).toMatch(/Z$/)
    expect((await call('/public/v1/notes')).headers.get('key-expires-at')).toBeNull()
  })
})

describe('201', () => {
  test('a creation names where it can be read, below the base path that was used', async () => {
    const response = await call('/public/v1/notes', { json: { text: 'made' } })
    expect(response.status).toBe(201)
    const { id } = (await response.json()) as { id: string }
    expect(response.headers.get('location')).toBe(`/public/v1/notes/${id}`)
  })
})

describe('204', () => {
  test('OPTIONS needs no key and lists exactly the methods of the path', async () => {
    const response = await call('/public/v1/notes', { method: 'OPTIONS', as: '' })
    expect(response.status).toBe(204)
    expect(response.headers.get('allow')).toBe('GET, POST, HEAD, OPTIONS')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-headers')).toContain('Idempotency-Key')
  })
})

describe('400', () => {
  test.each([
    ['{"text":', 'json_invalid'],
    ['{"text":"a","text":"b"}', 'json_duplicate_member'],
    ['{"__proto__":{}}', 'json_member_forbidden'],
    [`${'['.repeat(40)}${']'.repeat(40)}`, 'json_too_deep'],
    ['{"text":"\\u0000"}', 'json_text_invalid'],
    ['{"text":12345678901234567890}', 'json_number_unsafe'],
  ])('the body %s is refused as %s', async (json, code) => {
    const response = await call('/public/v1/notes', { json })
    expect(response.status).toBe(400)
    expect((await problem(response)).code).toBe(code)
  })

  test('a misspelt parameter is refused with the name that was meant', async () => {
    const body = await problem(await call('/public/v1/notes?limt=5'))
    expect(body.code).toBe('parameter_invalid')
    expect(body.errors[0]).toMatchObject({
      parameter: 'limt',
      code: 'parameter_unknown',
      params: { suggestion: 'limit' },
    })
  })

  test.each([
    ['limit=0'],
    ['limit=101'],
    ['limit=abc'],
    ['limit=1.5'],
    ['limit=5&limit=6'],
    ['is_open=maybe'],
    ['status=a,c'],
  ])('the query %s is refused and names the parameter', async (query) => {
    const response = await call(`/public/v1/notes?${query}`)
    expect(response.status).toBe(400)
    expect((await problem(response)).errors[0]?.parameter).toBe(query.slice(0, query.indexOf('=')))
  })

  const keepsToItsBounds = ({ errors }: Awaited<ReturnType<typeof problem>>) => {
    expect(errors.length).toBeLessThanOrEqual(50)
    for (const { pointer = '', parameter = '', detail } of errors) {
      expect([pointer.length <= 1000, parameter.length <= 200, String(detail).length <= 1000]).toEqual([
        true,
        true,
        true,
      ])
      expect(`${pointer}${parameter}${detail}`).not.toContain('\u0000')
    }
  }

  test('a problem repeats an unknown name no longer than the description allows, and without NUL', async () => {
    const long = 'x'.repeat(3000)
    keepsToItsBounds(await problem(await call(`/public/v1/notes?a%00b=1&${long}=2`)))
    keepsToItsBounds(await problem(await call(`/public/v1/notes/abc?${long}%00=1`)))
    keepsToItsBounds(await problem(await call('/public/v1/notes', { json: `{"text":"a","${'é'.repeat(300)}":1}` })))
    const many = Array.from({ length: 60 }, (_, index) => `limit=${index}`).join('&')
    keepsToItsBounds(await problem(await call(`/public/v1/notes?${many}`)))
  })

  test('a parameter on an endpoint without any is refused', async () => {
    expect((await problem(await call('/public/v1/notes/abc?x=1'))).errors[0]?.parameter).toBe('x')
  })

  test('a path that does not decode is refused', async () => {
    expect((await problem(await call('/public/v1/notes/%E0%A4'))).code).toBe('path_invalid')
    expect((await problem(await call('/public/v1/notes/a%00b'))).code).toBe('path_invalid')
  })

  test('an Idempotency-Key that is too long is refused', async () => {
    const headers = { 'idempotency-key': 'x'.repeat(256) }
    expect((await problem(await call('/public/v1/notes', { json: { text: 'a' }, headers }))).code).toBe(
      'idempotency_key_invalid',
    )
  })
})

describe('401', () => {
  test('no key: a challenge without detail; a bad key: the same body and an error in the challenge', async () => {
    const missing = await call('/public/v1/notes', { as: '' })
    const wrong = await call('/public/v1/notes', { as: 'unknown' })
    expect([missing.status, wrong.status]).toEqual([401, 401])
    expect(missing.headers.get('www-authenticate')).toBe('Bearer realm="public-api"')
    expect(wrong.headers.get('www-authenticate')).toBe('Bearer realm="public-api", error="invalid_token"')
    const [one, other] = [await problem(missing), await problem(wrong)]
    expect({ ...one, request_id: '' }).toEqual({ ...other, request_id: '' })
  })

  test('comes before the body is looked at', async () => {
    expect((await call('/public/v1/notes', { as: '', json: '{broken' })).status).toBe(401)
  })
})

describe('403', () => {
  test('names the missing scope, before the body is looked at', async () => {
    const response = await call('/public/v1/notes', { as: 'reader', json: '{broken' })
    expect(response.status).toBe(403)
    expect((await problem(response)).params).toEqual({ required: 'orders:write', granted: ['orders:read'] })
    expect(response.headers.get('www-authenticate')).toContain('scope="orders:write"')
  })
})

describe('404 and 405', () => {
  test('an unknown path, a trailing slash and another case are 404', async () => {
    for (const path of ['/public/v1/nothing', '/public/v1/notes/', '/public/v1/Notes', '/public/v1'])
      expect((await problem(await call(path))).code).toBe('route_not_found')
  })

  test('a known path with another method is 405 with exactly its methods', async () => {
    const response = await call('/public/v1/journal', { method: 'DELETE' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST, OPTIONS')
  })
})

describe('406, 413, 414, 415', () => {
  test('an Accept header without JSON is 406, the usual ones are not', async () => {
    expect((await call('/public/v1/notes', { headers: { accept: 'text/html' } })).status).toBe(406)
    for (const accept of ['*/*', 'application/*', 'application/json', 'text/html, application/json;q=0.5'])
      expect((await call('/public/v1/notes', { headers: { accept } })).status).toBe(200)
  })

  test('a body above the limit is 413, announced or not', async () => {
    const text = JSON.stringify({ text: 'x'.repeat(2000) })
    expect((await problem(await call('/public/v1/notes', { json: text }))).code).toBe('body_too_large')
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(text))
        controller.close()
      },
    })
    const streamed = await call('/public/v1/notes', {
      method: 'POST',
      body: stream,
      headers: { 'content-type': 'application/json' },
    })
    expect(streamed.status).toBe(413)
  })

  test('a URL above 8 KiB is 414', async () => {
    expect((await problem(await call(`/public/v1/notes?q=${'x'.repeat(9000)}`))).code).toBe('url_too_long')
  })

  test('another media type is 415 and says which is right', async () => {
    const response = await call('/public/v1/notes', {
      json: 'a=b',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(response.status).toBe(415)
    expect(response.headers.get('accept')).toBe('application/json')
  })
})

describe('422', () => {
  test('every wrong field is reported with its pointer and what would be right', async () => {
    const body = await problem(
      await call('/public/v1/notes', { json: { colour: 'blue', tags: [{ nam: 'x' }], txt: 1 } }),
    )
    expect(body.code).toBe('validation_failed')
    const found = Object.fromEntries(body.errors.map((error) => [error.pointer, error]))
    expect(found['#/text']?.code).toBe('required')
    expect(found['#/colour']).toMatchObject({ code: 'not_allowed', params: { allowed: ['red', 'green'] } })
    expect(found['#/tags/0/name']?.code).toBe('required')
    expect(found['#/tags/0/nam']).toMatchObject({ code: 'field_unknown', params: { suggestion: 'name' } })
    expect(found['#/txt']).toMatchObject({ code: 'field_unknown', params: { suggestion: 'text' } })
  })

  test('a text that is too long says how long it may be', async () => {
    const body = await problem(await call('/public/v1/notes', { json: { text: 'x'.repeat(21) } }))
    expect(body.errors[0]).toMatchObject({ pointer: '#/text', code: 'too_long', params: { max: 20 } })
  })

  test('null is not the same as absent', async () => {
    expect(
      (await problem(await call('/public/v1/notes', { json: { text: 'a', colour: null } }))).errors[0]?.pointer,
    ).toBe('#/colour')
  })
})

describe('429', () => {
  test('the limit is announced before it is reached, and a wait is named when it is', async () => {
    const first = await call('/public/v1/notes', { as: 'slow' })
    expect(first.headers.get('ratelimit-policy')).toBe('"key";q=1;w=1;nx-burst=2')
    expect(first.headers.get('ratelimit')).toMatch(/^"key";r=1;t=\d+$/)
    await call('/public/v1/notes', { as: 'slow' })
    const third = await call('/public/v1/notes', { as: 'slow' })
    expect(third.status).toBe(429)
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect((await problem(third)).params).toMatchObject({ policy: 'key' })
  })

  test('a client that guesses tokens from all addresses of one network is stopped, and its neighbours are not', async () => {
    const guess = async (from: string) => (await call('/public/v1/notes', { as: 'guess', from })).status
    const statuses: number[] = []
    for (let nth = 1; nth <= 1250; nth++) statuses.push(await guess(`2001:db8:1:2::${nth.toString(16)}`))
    // Not of the last: tokens of the limit return while a machine stands still.
    expect([statuses[0], statuses.includes(429)]).toEqual([401, true])
    expect(await guess('2001:db8:1:3::1')).toBe(401)
  })
})

describe('304', () => {
  test('costs nothing of the rate', async () => {
    const tag = (await call('/public/v1/notes', { as: 'polling' })).headers.get('etag') as string
    for (let round = 0; round < 5; round++)
      expect((await call('/public/v1/notes', { as: 'polling', headers: { 'if-none-match': tag } })).status).toBe(304)
  })
})

describe('500', () => {
  test('a bug is answered without a word about it, and leaves nothing behind', async () => {
    const response = await call('/public/v1/notes', { json: { text: 'broken' } })
    expect(response.status).toBe(500)
    const body = await problem(response)
    expect(body.code).toBe('internal_error')
    expect(JSON.stringify(body)).not.toContain('bug')
    expect(await countNotes('broken')).toBe(0)
  })
})

describe('Idempotency-Key', () => {
  const send = (idempotencyKey: string, json: unknown, path = '/public/v1/notes') =>
    call(path, { json, headers: { 'idempotency-key': idempotencyKey } })

  test('a repeat gets the stored answer, byte for byte, and nothing happens twice', async () => {
    const first = await send('k1', { text: 'once' })
    const second = await send('k1', { text: 'once' })
    expect([first.status, second.status]).toEqual([201, 201])
    expect(await second.text()).toBe(await first.text())
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(second.headers.get('original-request-id')).toBe(first.headers.get('x-request-id') as string)
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id') as string)
    expect(second.headers.get('location')).toBe(first.headers.get('location') as string)
    expect(await countNotes('once')).toBe(1)
  })

  test('quotes, spacing and order of members do not matter', async () => {
    await send('k2', { text: 'same', colour: 'red' })
    const second = await send('"k2"', '{ "colour":"red",  "text":"same" }')
    expect(second.headers.get('idempotent-replayed')).toBe('true')
  })

  test('another body under the same key is 422 and does nothing', async () => {
    await send('k3', { text: 'three' })
    const second = await send('k3', { text: 'other' })
    expect(second.status).toBe(422)
    expect((await problem(second)).code).toBe('idempotency_key_reused')
    expect(await countNotes('other')).toBe(0)
  })

  test('two concurrent requests create one object; the other is refused with Retry-After and then gets the answer', async () => {
    const racing = await Promise.all([send('k4', { text: 'slow' }), send('k4', { text: 'slow' })])
    expect(racing.map((response) => response.status).sort()).toEqual([201, 409])
    const refused = racing.find((response) => response.status === 409) as Response
    expect(refused.headers.get('retry-after')).toBe('1')
    expect((await send('k4', { text: 'slow' })).headers.get('idempotent-replayed')).toBe('true')
    expect(await countNotes('slow')).toBe(1)
  })

  test('a refusal is stored and its half-done work undone', async () => {
    const first = await send('k5', { text: 'taken' })
    const second = await send('k5', { text: 'taken' })
    expect([first.status, second.status]).toEqual([409, 409])
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(second.headers.get('content-type')).toBe('application/problem+json')
    expect(await countNotes('taken')).toBe(0)
  })

  test('an answer that shows a secret is stored sealed, replayed in clear, and never logged or cached', async () => {
    exchanges = []
    const first = await call('/public/v1/secret-notes', { method: 'POST', headers: { 'idempotency-key': 'secret' } })
    const second = await call('/public/v1/secret-notes', { method: 'POST', headers: { 'idempotency-key': 'secret' } })
    const { secret } = (await first.json()) as { secret: string }
    expect(((await second.json()) as { secret: string }).secret).toBe(secret)
    const rows = await db.database.many<{ row: string }>`select idempotency_keys::text as row from idempotency_keys`
    expect(rows.some(({ row }) => row.includes(secret))).toBe(false)
    expect(exchanges.map((exchange) => exchange.responseBody)).toEqual([null, null])
    expect(first.headers.get('cache-control')).toBe('no-store')
  })

  test('a failure stores nothing: the key is free again', async () => {
    expect((await send('k6', { text: 'broken' })).status).toBe(500)
    expect((await send('k6', { text: 'mended' })).status).toBe(201)
  })

  test('a body that was refused may be corrected under the same key', async () => {
    expect((await send('k7', { txt: 'typo' })).status).toBe(422)
    expect((await send('k7', { text: 'right' })).status).toBe(201)
  })

  test('the same key on another operation is another request', async () => {
    expect((await send('k8', { text: 'a' })).status).toBe(201)
    expect((await send('k8', { text: 'a' }, '/public/v1/journal')).headers.get('idempotent-replayed')).toBeNull()
  })

  test('both base paths share the keys', async () => {
    await send('k9', { text: 'nine' }, '/api/public/v1/notes')
    expect((await send('k9', { text: 'nine' }, '/public/v1/notes')).headers.get('idempotent-replayed')).toBe('true')
  })

  test('a route of mode own runs once too when twenty requests arrive at once', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => send('k10', { text: 'journal' }, '/public/v1/journal')),
    )
    expect(new Set(responses.map((response) => response.status))).toEqual(new Set([201]))
    expect(new Set(await Promise.all(responses.map((response) => response.text()))).size).toBe(1)
    expect(await countNotes('journal')).toBe(1)
  })
})

test('a change of what can be read at its path is not served unless it keeps to If-Match', () => {
  const removeNote = { id: 'removeNote', method: 'DELETE' as const, path: '/notes/{id}' as const, tag: 'Notes' }
  const facts = { ...removeNote, summary: 'Remove', description: 'Remove', access: anyKey, example: { reply: null } }
  const reply = { status: 204, body: null }
  const careless = defineRoute({ ...facts, reply, handle: () => undefined })
  const careful = defineChange({ ...facts, reply, lock: async () => {}, handle: async () => undefined })
  expect(() => mount([...routes, careless])).toThrow('removeNote')
  expect(() => mount([...routes, careful])).not.toThrow()
  expect(() => mount([careful])).toThrow('removeNote')
})
