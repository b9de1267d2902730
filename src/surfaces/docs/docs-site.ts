import type { ErrorDeclaration } from '../../kernel/errors.ts'
import {
  createStaticReply,
  pageHeaders,
  type StaticContent,
  type StaticReply,
} from '../../platform/http/static-content.ts'
import { createDocsAssets, type DocsAssets } from './docs-assets.ts'
import { errorHtml, errorListHtml, errorMarkdown, errorReference } from './error-pages.ts'
import { escapeHtml, renderMarkdown } from './html.ts'
import { type Frame, type Page, renderPage } from './layout.ts'
import { llmsText } from './llms-text.ts'
import { findHome, findMoved, listPages, readPage, SECTIONS, type WrittenPage } from './pages.ts'

/**
 * The docs for people and language models, from our own files only: `/docs` (start and reference), the pages of `docs/`,
 * `/docs/errors`, `/docs/errors/{code}`, each also as Markdown under the same address with `.md`, and `/llms.txt`.
 * A page is rendered on its first request and cached.
 */
export type DocsSiteOptions = {
  openApiPath: string
  asyncApiPath: string
  /** Where the API's paths begin, for the summary for language models. */
  basePath: string
  errors: readonly ErrorDeclaration[]
  version: string
  /** The address of this installation, for links and example calls. */
  publicUrl: string
  /** Where agents find their tools, once there are any. */
  mcpPath?: string
}

export type DocsSite = {
  /** Null when the path is not one of the docs. */
  fetch(request: Request): Promise<Response | null>
}

/** Nothing from elsewhere, no inline script, not in a frame. Swagger UI's arrows and marks are pictures in its stylesheet. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const securityHeaders = { ...pageHeaders, 'Content-Security-Policy': CONTENT_SECURITY_POLICY }

export function createDocsSite(options: DocsSiteOptions): DocsSite {
  const assets = createDocsAssets()
  const pages = createPages(options, assets)
  const kept = new Map<string, StaticReply>()
  const replyFor = (path: string): StaticReply => {
    const render = pages.get(path)
    const content = render?.() ?? assets.find(path)
    if (content === null) return missing(path)
    const reply = createStaticReply({ ...content, headers: securityHeaders })
    kept.set(path, reply)
    return reply
  }
  const missing = (path: string) =>
    createStaticReply({ ...notFound(path, frameOf(options, assets)), headers: securityHeaders, status: 404 })
  return {
    async fetch(request) {
      const path = new URL(request.url).pathname
      if (!isOwnPath(path)) return null
      if (request.method !== 'GET' && request.method !== 'HEAD') return refuseMethod()
      const target = redirects[path] ?? (pages.has(path) ? undefined : findMoved(path))
      if (target) return new Response(null, { status: 308, headers: { ...securityHeaders, Location: target } })
      return (kept.get(path) ?? replyFor(path))(request)
    },
  }
}

const isOwnPath = (path: string) =>
  path === '/docs' || path === '/docs.md' || path === '/llms.txt' || path.startsWith('/docs/')

const redirects: Record<string, string> = {
  '/docs/': '/docs',
  '/docs/guides': '/docs',
  '/docs/guides/': '/docs',
  '/docs/errors/': '/docs/errors',
}

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

type MakeContent = () => StaticContent

/** Asked for again each time, so that a new release shows at once; mostly answered with 304. */
const CACHE_CONTROL = 'public, no-cache'
const markdown = (body: string): StaticContent => ({
  body,
  contentType: 'text/markdown; charset=utf-8',
  cacheControl: CACHE_CONTROL,
})
const plainText = (body: string): StaticContent => ({
  body,
  contentType: 'text/plain; charset=utf-8',
  cacheControl: CACHE_CONTROL,
})
const html = (frame: Frame, page: Page): StaticContent => ({
  body: renderPage(frame, page),
  contentType: 'text/html; charset=utf-8',
  cacheControl: CACHE_CONTROL,
})

function createPages(options: DocsSiteOptions, assets: DocsAssets): Map<string, MakeContent> {
  const pages = new Map<string, MakeContent>()
  const frame = () => frameOf(options, assets)
  const add = (path: string, page: () => Omit<Page, 'path'>, twin: () => string) => {
    pages.set(path, () => html(frame(), { path, ...page() }))
    pages.set(`${path}.md`, () => markdown(twin()))
  }
  add(
    '/docs',
    () => startPage(options, assets),
    () => readPage(findHome(), options).markdown,
  )
  for (const path of listPages()) {
    add(
      `/docs/${path}`,
      () => writtenPage(readPage(path, options)),
      () => readPage(path, options).markdown,
    )
  }
  add(
    '/docs/errors',
    () => ({ title: 'Errors · Nexkit docs', main: errorListHtml(options.errors) }),
    () => errorReference(options.errors),
  )
  for (const error of options.errors) {
    add(
      `/docs/errors/${error.code}`,
      () => ({ title: `${error.code} · Nexkit docs`, main: errorHtml(error) }),
      () => errorMarkdown(error),
    )
  }
  pages.set('/llms.txt', () =>
    plainText(llmsText({ ...options, pages: readPages(options), mcpPath: options.mcpPath ?? null })),
  )
  return pages
}

const readPages = (options: DocsSiteOptions): WrittenPage[] => listPages().map((path) => readPage(path, options))

const frameOf = (options: DocsSiteOptions, assets: DocsAssets): Frame => ({
  version: options.version,
  stylesheet: assets.urlOf('docs.css'),
  sections: SECTIONS.map(({ folder, title }) => ({
    title,
    entries: readPages(options)
      .filter(({ path }) => path.startsWith(`${folder}/`))
      .map((page) => ({ path: `/docs/${page.path}`, label: page.title })),
  })),
})

const writtenPage = (page: WrittenPage) => ({
  title: `${page.title} · Nexkit docs`,
  main: renderMarkdown(page.markdown),
  language: page.path.startsWith('id/') ? 'id' : 'en',
})

function startPage(options: DocsSiteOptions, assets: DocsAssets): Omit<Page, 'path'> {
  const cards = readPages(options).map(
    ({ path, title, summary }) =>
      `<li><a href="/docs/${path}"><strong>${escapeHtml(title)}</strong><span>${escapeHtml(summary.replaceAll('`', ''))}</span></a></li>`,
  )
  return {
    title: 'Nexkit docs',
    isWide: true,
    stylesheets: { before: assets.urlOf('swagger-ui.css'), after: assets.urlOf('reference.css') },
    scripts: [assets.urlOf('swagger-ui-bundle.js'), assets.urlOf('reference.js')],
    main: `<div class="intro">${renderMarkdown(
      readPage(findHome(), options)
        .markdown.replaceAll('](../', '](/docs/')
        .replaceAll(/\]\((?=[\w-]+\.md)/g, '](/docs/guides/'),
    )}</div>
<h2>Guides</h2>
<ul class="cards">${cards.join('')}</ul>
<section aria-labelledby="reference">
<h2 id="reference">Reference</h2>
<p>Also as <a href="${escapeHtml(options.openApiPath)}">OpenAPI 3.1</a> for API clients and SDK generators, and the events as <a href="${escapeHtml(options.asyncApiPath)}">AsyncAPI 3</a>.</p>
<div id="operations" data-openapi="${escapeHtml(options.openApiPath)}"><noscript>The interactive reference needs scripts. The OpenAPI description holds the same.</noscript></div>
</section>`,
  }
}

function notFound(path: string, frame: Frame): StaticContent {
  if (path.endsWith('.md'))
    return { ...markdown('# There is no such page\n\nThe list of pages is at /llms.txt.\n'), cacheControl: 'no-store' }
  const main =
    '<h1>There is no such page</h1><p class="lead">Go to the <a href="/docs">start</a> or to the <a href="/docs/errors">error codes</a>.</p>'
  return {
    ...html(frame, { title: 'Not found · Nexkit docs', path: '/docs', main, hasMarkdown: false }),
    cacheControl: 'no-store',
  }
}
