import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { allScopes } from '../../kernel/scopes.ts'
import { idempotencyKeyInUse, rateLimited, validationFailed } from '../../platform/http/http.errors.ts'
import { createDocsSite } from './docs-site.ts'
import { listPages } from './pages.ts'

const site = createDocsSite({
  openApiPath: '/api/public/v1/openapi.json',
  asyncApiPath: '/api/public/v1/asyncapi.json',
  basePath: '/api/public/v1',
  errors: [rateLimited, validationFailed, idempotencyKeyInUse],
  version: '1.2.3',
  publicUrl: 'https://shop.test',
})

const call = (path: string, init: RequestInit = {}) => site.fetch(new Request(`http://host${path}`, init))
const get = async (path: string, init: RequestInit = {}): Promise<Response> => {
  const response = await call(path, init)
  if (response === null) throw new Error(`${path} is not a path of the docs`)
  return response
}
const textOf = async (path: string) => (await get(path)).text()

/** The addresses that a page loads or links to, by the attributes that contain an address. */
const addressesIn = (html: string) =>
  [...html.matchAll(/\s(?:src|href|data-openapi)="([^"]*)"/g)].map((match) => match[1] as string)

const pages = ['/docs', '/docs/errors', '/docs/errors/rate_limited', ...listPages().map((path) => `/docs/${path}`)]

describe('every page', () => {
  test('is HTML with a Markdown twin at the same address', async () => {
    for (const path of pages) {
      const page = await get(path)
      expect([path, page.status, page.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8'])
      const twin = await get(`${path}.md`)
      expect([path, twin.status, twin.headers.get('content-type')]).toEqual([path, 200, 'text/markdown; charset=utf-8'])
      expect(await twin.text()).toStartWith('# ')
    }
  })

  test('names nothing on another host and leads nowhere that does not exist', async () => {
    for (const path of pages) {
      for (const address of addressesIn(await textOf(path))) {
        if (address === 'data:,' || /^\/api\/public\/v1\/(open|async)api\.json$/.test(address)) continue
        const target = new URL(address, `http://host${path}`)
        expect([path, target.host, (await get(target.pathname)).status]).toEqual([path, 'host', 200])
      }
    }
  })

  test('forbids inline scripts, foreign hosts and frames', async () => {
    for (const path of [...pages, '/docs/nothing', '/llms.txt']) {
      const { headers } = await get(path)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self';")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
  })

  test('has no inline script or style, which the policy would block', async () => {
    for (const path of pages) expect(await textOf(path)).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/)
  })

  test('is compressed when asked and known by its tag', async () => {
    const packed = await get('/docs', { headers: { 'accept-encoding': 'gzip' } })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(gunzipSync(await packed.bytes()).toString()).toBe(await textOf('/docs'))
    const tag = packed.headers.get('etag') as string
    expect((await get('/docs', { headers: { 'if-none-match': tag } })).status).toBe(304)
  })
})

describe('error pages', () => {
  test('say status, cause, an example response and the fix', async () => {
    for (const path of ['/docs/errors/rate_limited', '/docs/errors/rate_limited.md']) {
      const text = (await textOf(path)).replaceAll(/<[^>]+>|`/g, '')
      expect(text).toContain('"title": "Too many requests"'.replaceAll('"', path.endsWith('.md') ? '"' : '&quot;'))
      expect(text).toContain('429 Too Many Requests')
      expect(text).toContain(rateLimited.says)
      expect(text).toContain(rateLimited.cause)
      expect(text).toContain(rateLimited.fix.replaceAll('`', ''))
      expect(text).toContain('after Retry-After')
    }
  })

  test('say when a plain retry cannot help', async () => {
    expect(await textOf('/docs/errors/validation_failed.md')).toContain('| Retry? | No, change the request first |')
    expect(await textOf('/docs/errors/idempotency_key_in_use.md')).toContain('| Retry? | Yes, after `Retry-After` |')
  })

  test('are all in the list', async () => {
    const list = await textOf('/docs/errors')
    for (const code of ['rate_limited', 'validation_failed', 'idempotency_key_in_use'])
      expect(list).toContain(`href="/docs/errors/${code}"`)
  })
})

test('scripts and styles may be kept for ever, because their address changes with them', async () => {
  const bundle = addressesIn(await textOf('/docs')).find((address) =>
    address.endsWith('/swagger-ui-bundle.js'),
  ) as string
  const response = await get(bundle)
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect((await get(bundle.replace(/assets\/[^/]+/, 'assets/0000000000000000'))).status).toBe(404)
  expect((await get('/docs/assets/0000000000000000/..%2f..%2fpackage.json')).status).toBe(404)
})

test('guides name the address of this installation', async () => {
  expect(await textOf('/docs.md')).toContain('https://shop.test/api/public/v1')
  for (const path of listPages()) expect(await textOf(`/docs/${path}.md`)).not.toContain('http://127.0.0.1:3900')
})

/** By its name, in whichever folder it is. */
const pageNamed = (name: string) => `/docs/${listPages().find((path) => path.endsWith(`/${name}`))}`

test('the page about authentication knows every scope', async () => {
  const guide = await textOf(`${pageNamed('authentication')}.md`)
  for (const scope of allScopes) expect(guide).toContain(`| \`${scope}\` |`)
})

test('a link between pages stays in the form that is being read', async () => {
  const page = pageNamed('errors')
  expect(await textOf(page)).toContain('href="/docs/errors"')
  expect(await textOf(`${page}.md`)).toContain('](/docs/errors.md)')
})

test('every error code that a page names exists, with that status', async () => {
  const list = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8')
  const statuses = new Map([...list.matchAll(/^\| \[`(\w+)`\]\(#\w+\) \| (\d+) \|/gm)].map((row) => [row[1], row[2]]))
  for (const path of listPages())
    for (const [named, status, code] of (await textOf(`/docs/${path}.md`)).matchAll(/\b([45]\d\d) `([a-z_]+)`/g))
      expect([path, named, statuses.get(code)]).toEqual([path, named, status])
})

test('every guide of version 0.1 is found at its old address', async () => {
  const names =
    'authentication errors idempotency pagination rate-limits versioning conditional-requests messages simulator whatsapp-cloud cloud-api orders payments qris pay-page webhooks webhooks-recovery agents console operating sdk'
  for (const name of names.split(' ')) {
    for (const ending of ['', '.md']) {
      const old = await get(`/docs/guides/${name}${ending}`)
      const target = old.headers.get('location') ?? `/docs/guides/${name}${ending}`
      expect([name, (await get(target)).status]).toEqual([name, 200])
      expect(target.endsWith('.md')).toBe(ending === '.md')
    }
  }
})

test('llms.txt has one title, one summary and links to Markdown that exists', async () => {
  const text = await textOf('/llms.txt')
  expect(text).toMatch(/^# Nexkit\n\n> .+\n\n/)
  const links = [...text.matchAll(/\]\(https:\/\/shop\.test([^)]+)\)/g)].map((match) => match[1] as string)
  expect(links).toContainValues([
    '/docs.md',
    '/docs/errors.md',
    '/api/public/v1/openapi.json',
    '/api/public/v1/asyncapi.json',
  ])
  for (const path of links.filter((link) => link.endsWith('.md'))) expect((await get(path)).status).toBe(200)
  expect(text).not.toContain('MCP')
})

describe('404', () => {
  test('an unknown code or page is a page that leads back', async () => {
    for (const path of ['/docs/errors/no_such_code', '/docs/guides/constructor', '/docs/nothing']) {
      const response = await get(path)
      expect(response.status).toBe(404)
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(await response.text()).toContain('href="/docs/errors"')
    }
    expect(await textOf('/docs/errors/no_such_code.md')).toStartWith('# There is no such page')
  })

  test('other paths are left to others', async () => {
    for (const path of ['/', '/docsx', '/api/public/v1/me', '/llms.txt/']) expect(await call(path)).toBeNull()
  })
})

test('405: the docs can only be read', async () => {
  const response = await get('/docs', { method: 'POST' })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('GET, HEAD')
})

test('308: a slash too many leads to the page', async () => {
  expect((await get('/docs/')).headers.get('location')).toBe('/docs')
  expect((await get('/docs/guides')).headers.get('location')).toBe('/docs')
})
