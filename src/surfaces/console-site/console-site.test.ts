import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConsoleSite, createConsoleSite } from './console-site.ts'

let folder: string
let site: ConsoleSite

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nexkit-console-site-'))
  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Console</title>')
  await writeFile(join(folder, 'assets', 'index-abc.js'), 'export {}')
  site = createConsoleSite({ folder: Promise.resolve(folder) })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const get = (path: string, headers: Record<string, string> = {}) =>
  site.fetch(new Request(`http://127.0.0.1${path}`, { headers })) as Promise<Response>

const SIGNED_IN = { cookie: 'theme=dark; nexkit.session_token=abc' }

describe('the page', () => {
  test.each(['/console', '/console/', '/console/orders', '/console/orders/ord_1'])('is at %s', async (path) => {
    const response = await get(path, SIGNED_IN)
    expect(await response.text()).toContain('<title>Console</title>')
    expect(response.headers.get('cache-control')).toBe('no-cache')
  })

  test('preloads the session for a browser that may be signed in', async () => {
    const { headers } = await get('/console/', SIGNED_IN)
    expect(headers.get('link')).toBe('</api/auth/session>; rel=preload; as=fetch; crossorigin=anonymous')
    expect((await get('/console/sign-in')).headers.has('link')).toBe(false)
  })

  test.each([
    ['/console', '/console/sign-in'],
    ['/console/orders?q=a%26b&open=ord_1', '/console/sign-in?next=%2Forders%3Fq%3Da%2526b%26open%3Dord_1'],
    ['/console//elsewhere.example', '/console/sign-in?next=%2F%2Felsewhere.example'],
  ])('at %s sends a browser without a session to %s', async (path, location) => {
    const response = await get(path, { cookie: 'theme=dark' })
    expect([response.status, response.headers.get('location')]).toEqual([302, location])
  })

  test.each(['sign-in', 'sign-in?next=/keys', 'reset-password', 'reset-password/abc', 'invitations/abc'])(
    'at /console/%s is shown without a session',
    async (path) => expect((await get(`/console/${path}`)).status).toBe(200),
  )
})

describe('files', () => {
  test('are kept by browsers for good', async () => {
    const response = await get('/console/assets/index-abc.js')
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  })

  test('that are gone are not answered with the page', async () => {
    expect((await get('/console/assets/index-old.js')).status).toBe(404)
  })
})

test('other paths are not its own', () => {
  expect(site.fetch(new Request('http://127.0.0.1/consoles'))).toBeNull()
})
