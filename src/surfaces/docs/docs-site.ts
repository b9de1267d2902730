import { createHash } from 'node:crypto'
import { type BuiltSite, createBuiltSite, type PreparedFile, type SiteFile } from '../../platform/http/built-site.ts'
import { createStaticReply, pageHeaders, type StaticReply } from '../../platform/http/static-content.ts'
import type { DocsPage } from './docs-page.ts'
import { llmsText } from './llms-text.ts'
import { findMoved, publicPath } from './pages.ts'
import { collectPages, type DocsSources, LOCAL_ADDRESS } from './site-pages.ts'

/**
 * The docs for people and language models, from our own files only. Browsers get the site that `site/` builds below `/docs/`.
 * Every page is also Markdown, under the same address with `.md`, which needs no build; `/llms.txt` lists them.
 */
export type DocsSiteOptions = DocsSources & {
  /** Where agents find their tools, once there are any. */
  mcpPath?: string
  /** Called when the first page is asked for: the folder of the built site, once there is one. Null serves Markdown only. */
  folder: (() => Promise<string>) | null
}

export type DocsSite = {
  /** Null when the path is not one of the docs. */
  fetch(request: Request): Promise<Response | null>
}

/** Nothing from elsewhere, no script that the build did not write, not in a frame. The icons of the theme are in its stylesheet. */
const policyWith = (scripts: string[]) =>
  [
    "default-src 'none'",
    `script-src ${["'self'", ...scripts].join(' ')}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const securityHeaders = { ...pageHeaders, 'Content-Security-Policy': policyWith([]) }

export function createDocsSite(options: DocsSiteOptions): DocsSite {
  const texts = createTexts(options)
  const site = options.folder === null ? null : createPages(options.folder, options.publicUrl)
  return {
    async fetch(request) {
      const path = new URL(request.url).pathname
      if (!isOwnPath(path)) return null
      if (request.method !== 'GET' && request.method !== 'HEAD') return refuseMethod()
      const target = redirectOf(path)
      if (target !== null) return redirect(target)
      const text = texts.find(path)
      if (text !== null) return text(request)
      const moved = findMoved(path)
      if (moved !== null && moved !== path) return redirect(moved)
      if (path.endsWith('.md') || site === null) return noSuchText(request)
      return site(request, path.slice('/docs/'.length))
    },
  }
}

const isOwnPath = (path: string) =>
  path === '/docs' || path === '/docs.md' || path === '/llms.txt' || path.startsWith('/docs/')

const FOLDERS_WITH_START = ['/docs', '/docs/id']

/** The start of a part has a slash at its end, as the site links to it, and other pages have none. */
function redirectOf(path: string): string | null {
  if (FOLDERS_WITH_START.includes(path)) return `${path}/`
  if (['/docs/guides', '/docs/concepts', '/docs/reference', '/docs/objects'].includes(path.replace(/\/$/, '')))
    return '/docs/'
  const bare = path.slice(0, -1)
  return path.endsWith('/') && !FOLDERS_WITH_START.includes(bare) ? bare : null
}

const redirect = (target: string) =>
  new Response(null, { status: 308, headers: { ...securityHeaders, Location: target } })

const refuseMethod = () =>
  new Response('The docs can only be read.\n', {
    status: 405,
    headers: {
      ...securityHeaders,
      Allow: 'GET, HEAD',
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
    },
  })

/** The texts, collected with the first request for one. */
function createTexts(options: DocsSiteOptions) {
  let pages: Map<string, DocsPage> | null = null
  const kept = new Map<string, StaticReply>()
  const textAt = (path: string): string | null => {
    pages ??= new Map(collectPages(options).map((page) => [`${publicPath(page.path)}.md`, page]))
    if (path === '/llms.txt')
      return llmsText({ ...options, pages: [...pages.values()], mcpPath: options.mcpPath ?? null })
    return pages.get(path)?.markdown ?? null
  }
  return {
    find(path: string): StaticReply | null {
      if (path !== '/llms.txt' && !path.endsWith('.md')) return null
      const present = kept.get(path)
      if (present !== undefined) return present
      const body = textAt(path)
      if (body === null) return null
      const contentType = `text/${path.endsWith('.md') ? 'markdown' : 'plain'}; charset=utf-8`
      const reply = createStaticReply({ body, contentType, cacheControl: 'public, no-cache', headers: securityHeaders })
      kept.set(path, reply)
      return reply
    },
  }
}

const noSuchText = createStaticReply({
  body: '# There is no such page\n\nThe list of pages is at /llms.txt.\n',
  contentType: 'text/markdown; charset=utf-8',
  cacheControl: 'no-store',
  headers: securityHeaders,
  status: 404,
})

const NOT_FOUND = '404.html'

function createPages(folder: () => Promise<string>, publicUrl: string) {
  let site: BuiltSite | undefined
  const create = () =>
    createBuiltSite({
      title: 'documentation',
      folder: folder(),
      headers: securityHeaders,
      index: NOT_FOUND,
      prepare: (file) => prepareFile(file, publicUrl),
    })
  return async (request: Request, path: string): Promise<Response> => {
    site ??= create()
    const files = await site.open()
    if (files instanceof Response) return files
    const name = path === '' || path.endsWith('/') ? `${path}index.html` : `${path}.html`
    const found = (await files.find(name)) ?? (await files.find(path))
    if (found !== null) return found(request)
    if (path.startsWith('assets/')) return new Response(null, { status: 404, headers: securityHeaders })
    const page = (await files.find(NOT_FOUND, { status: 404 })) as StaticReply
    return page(request, { 'Cache-Control': 'no-store' })
  }
}

const TEXT_FILE = /\.(html|js)$/

/** Pages name the address of this installation, without being built again for it. */
function prepareFile(file: SiteFile, publicUrl: string): PreparedFile {
  if (!TEXT_FILE.test(file.name)) return file
  const text = Buffer.from(file.body).toString()
  const own = text.replaceAll(LOCAL_ADDRESS, publicUrl)
  const prepared = {
    ...file,
    body: own === text ? file.body : Buffer.from(own),
    // The name has the hash of what was built, and this differs from it.
    cacheControl: own === text ? file.cacheControl : 'no-cache',
  }
  if (!file.name.endsWith('.html')) return prepared
  return { ...prepared, headers: { 'Content-Security-Policy': policyWith(scriptHashes(own)) } }
}

/** The theme is chosen by a small script in the page before anything is painted. */
const scriptHashes = (html: string): string[] =>
  [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, script]) =>
      `'sha256-${createHash('sha256')
        .update(script as string)
        .digest('base64')}'`,
  )
