import { beforeAll, describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import '../../boot/console-routes.ts'
import { readFileSync } from 'node:fs'
import { BASE_PATHS } from '../../boot/public-routes.ts'
import { ensureDocsBuild } from '../../boot/site-build.ts'
import { allErrors } from '../../kernel/errors.ts'
import { allScopes } from '../../kernel/scopes.ts'
import { rateLimited } from '../../platform/http/http.errors.ts'
import { createDocsSite } from './docs-site.ts'
import { listPages, publicPath } from './pages.ts'
import { collectPages } from './site-pages.ts'

const ADDRESS = 'https://shop.test'
/** Without those that other tests of this worker declare. */
const codes = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8')

const sources = {
  openApiPath: '/api/public/v1/openapi.json',
  asyncApiPath: '/api/public/v1/asyncapi.json',
  basePath: BASE_PATHS[0],
  errors: allErrors().filter(({ code }) => codes.includes(`\n## ${code}\n`)),
  publicUrl: ADDRESS,
}

/** One build for all tests of this file, of the same folder that a server uses. */
const BUILD_MS = 400_000
const folder = ensureDocsBuild({ say: () => {}, isUrgent: true })
const site = createDocsSite({ ...sources, folder: () => folder })
const pages = collectPages(sources)
beforeAll(() => folder, BUILD_MS)

const call = (path: string, init: RequestInit = {}) => site.fetch(new Request(`http://host${path}`, init))
const get = async (path: string, init: RequestInit = {}): Promise<Response> => {
  const response = await call(path, init)
  if (response === null) throw new Error(`${path} is not a path of the docs`)
  return response
}
const textOf = async (path: string) => (await get(path)).text()

/** Where browsers read a page: the start of a part ends with a slash. */
const addressOf = (path: string) => (/(^|\/)index$/.test(path) ? `${publicPath(path)}/` : publicPath(path))
const addresses = pages.map(({ path }) => addressOf(path))

describe('every page', () => {
  test('is HTML with a Markdown twin at the same address', async () => {
    expect(pages.length).toBeGreaterThan(200)
    for (const { path, title } of pages) {
      const page = await get(addressOf(path))
      expect([path, page.status, page.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8'])
      const twin = await get(`${publicPath(path)}.md`)
      expect([path, twin.status, twin.headers.get('content-type')]).toEqual([path, 200, 'text/markdown; charset=utf-8'])
      expect(await twin.text()).toStartWith(`# ${title}\n\n`)
    }
  })

  test('links only to pages and headings that exist, and loads nothing from another host', async () => {
    const html = new Map<string, string>()
    for (const address of addresses) html.set(address, await textOf(address))
    const dead: string[] = []
    for (const [address, page] of html) {
      for (const target of linksIn(page, address)) {
        if (target.origin === ADDRESS && target.pathname.startsWith('/api/public/v1/')) continue
        const isOutside = target.origin !== 'http://host'
        if (isOutside && !isLoaded(page, target)) continue
        const found = isOutside ? undefined : (html.get(target.pathname) ?? (await loadable(target.pathname)))
        const hasHeading = target.hash === '' || found?.includes(` id="${decodeURIComponent(target.hash.slice(1))}"`)
        if (found === undefined || !hasHeading) dead.push(`${address}: ${target.href}`)
      }
    }
    expect(dead).toEqual([])
  })

  test('has Markdown whose links lead to pages that exist', async () => {
    const dead: string[] = []
    for (const { path, markdown } of pages) {
      const prose = markdown.replaceAll(/^( *)```[\s\S]*?^\1```/gm, '').replaceAll(/`[^`\n]*`/g, '')
      for (const [, target] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
        const { origin, pathname } = new URL(target as string, `http://host${publicPath(path)}.md`)
        if (origin !== 'http://host' || /^\/api\/public\/v1\/(open|async)api\.json$/.test(pathname)) continue
        if ((await call(pathname))?.status !== 200) dead.push(`${path}: ${target}`)
      }
    }
    expect(dead).toEqual([])
  })

  test('allows no script but those of the build, no style attribute, no foreign host and no frame', async () => {
    for (const path of [...addresses, '/docs/nothing', '/llms.txt']) {
      const response = await get(path)
      const policy = response.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toMatch(/script-src 'self'( 'sha256-[\w+/=]+')*;/)
      expect(policy).toContain("style-src 'self';")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      const tags = [...(await response.text()).matchAll(/<[a-z][^<>]*>/g)].join('\n')
      expect(tags).not.toMatch(/<style|\sstyle=|\son\w+="/)
    }
  })

  test('names the address of this installation', async () => {
    for (const { path, markdown } of pages) {
      const html = await textOf(addressOf(path))
      expect([path, html.includes('http://127.0.0.1:3900')]).toEqual([path, false])
      if (markdown.includes(`${ADDRESS}${BASE_PATHS[0]}`)) expect([path, html.includes(ADDRESS)]).toEqual([path, true])
    }
    expect(await textOf('/docs.md')).toContain(`curl ${ADDRESS}/api/public/v1/me`)
  })

  test('is compressed when asked and known by its tag', async () => {
    const packed = await get('/docs/', { headers: { 'accept-encoding': 'gzip' } })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(gunzipSync(await packed.bytes()).toString()).toBe(await textOf('/docs/'))
    const tag = packed.headers.get('etag') as string
    expect((await get('/docs/', { headers: { 'if-none-match': tag } })).status).toBe(304)
  })
})

/** The addresses that a page loads or links to. */
const linksIn = (html: string, address: string): URL[] =>
  [...html.matchAll(/<[a-z][^<>]*?\s(?:src|href)="([^"]*)"/g)]
    .filter(([, target]) => target !== 'data:,')
    .map(([, target]) => new URL((target as string).replaceAll('&amp;', '&'), `http://host${address}`))

const isLoaded = (html: string, { href }: URL) =>
  new RegExp(`<(script|link|img)[^<>]*"${RegExp.escape(href)}"`).test(html)

const loadable = async (path: string): Promise<string | undefined> => {
  const response = await call(path)
  return response?.status === 200 ? response.text() : undefined
}

describe('pages of the API', () => {
  test('show a call in four languages, its fields with their limits, and its errors', async () => {
    const text = await textOf('/docs/api/create-order.md')
    for (const label of ['sh [curl]', 'ts [TypeScript]', 'py [Python]', 'php [PHP]'])
      expect(text).toContain(`\`\`\`${label}\n`)
    expect(text).toContain('`POST /api/public/v1/orders`')
    expect(text).toContain('- `billingType` · string, required')
    expect(text).toMatch(/\n {2}- `quantity` · integer, required, 1 to 1000000/)
    expect(text).toContain('[`validation_failed`](/docs/errors/validation_failed.md)')
    const html = await textOf('/docs/api/create-order')
    expect(html).toContain('class="vp-code-group"')
    expect(html).toContain('class="try-it"')
  })

  test('exist for every operation and every event', async () => {
    const api = (await import('../../../openapi.json')).default
    const calls = Object.values(api.paths).flatMap((methods) => Object.values(methods as Record<string, object>))
    expect(pages.filter(({ path }) => path.startsWith('api/')).length).toBe(calls.length)
    for (const type of Object.keys(api.webhooks)) {
      const text = await textOf(`/docs/events/${type}.md`)
      expect(text).toContain(`"type": "${type}"`)
    }
  })
})

test('the page of an error says its status, cause, an example response and the fix', async () => {
  const text = (await textOf('/docs/errors/rate_limited.md')).replaceAll('`', '')
  expect(text).toContain('"title": "Too many requests"')
  expect(text).toContain('429 Too Many Requests')
  expect(text).toContain(rateLimited.says)
  expect(text).toContain(rateLimited.cause)
  expect(text).toContain(rateLimited.fix.replaceAll('`', ''))
  expect(text).toContain('| Retry? | Yes, after Retry-After |')
  expect(await textOf('/docs/errors/validation_failed.md')).toContain('| Retry? | No, change the request first |')
})

test('scripts and styles may be kept for ever, because their address changes with them', async () => {
  const [script] = /\/docs\/assets\/chunks\/theme\.[\w-]+\.js/.exec(await textOf('/docs/')) as RegExpExecArray
  const response = await get(script)
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect((await get(script.replace('theme', 'other'))).status).toBe(404)
  expect((await get('/docs/assets/..%2f..%2fpackage.json')).status).toBe(404)
})

test('no page shows the comments of its source', async () => {
  for (const path of listPages()) {
    expect([path, (await textOf(`/docs/${path}.md`)).includes('<!--')]).toEqual([path, false])
    expect([path, (await textOf(`/docs/${path}`)).includes('&lt;!--')]).toEqual([path, false])
  }
})

test('the page about authentication knows every scope', async () => {
  const path = listPages().find((one) => one.endsWith('/authentication'))
  const page = await textOf(`/docs/${path}.md`)
  for (const scope of allScopes) expect(page).toContain(`| \`${scope}\` |`)
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
    'start authentication errors idempotency pagination rate-limits versioning conditional-requests messages simulator whatsapp-cloud cloud-api orders payments qris pay-page webhooks webhooks-recovery agents console operating sdk'
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
  expect(links).toContainValues(['/docs.md', '/docs/api.md', '/docs/events.md', '/docs/errors.md'])
  expect(links).toContainValues(['/api/public/v1/openapi.json', '/api/public/v1/asyncapi.json'])
  for (const path of listPages()) expect(links).toContain(`/docs/${path}.md`)
  for (const path of links.filter((link) => link.endsWith('.md'))) expect((await get(path)).status).toBe(200)
  expect(text).not.toContain('MCP')
})

describe('404', () => {
  test('an unknown code or page is a page that leads back', async () => {
    for (const path of ['/docs/errors/no_such_code', '/docs/guides/constructor', '/docs/nothing']) {
      const response = await get(path)
      expect([path, response.status]).toEqual([path, 404])
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('content-type')).toStartWith('text/html')
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

test.each([
  ['/docs', '/docs/'],
  ['/docs/id', '/docs/id/'],
  ['/docs/errors/', '/docs/errors'],
  ['/docs/guides/', '/docs/'],
])('308: %s leads to %s', async (path, target) => {
  const response = await get(path)
  expect([response.status, response.headers.get('location')]).toEqual([308, target])
})
