import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { storedValue } from '../../kernel/lists.ts'
import { createStaticReply, pageHeaders, type StaticReply } from '../../platform/http/static-content.ts'

/**
 * The built console at /console: files with a hash in their name are kept by browsers for good, the page itself is asked for
 * each time. Every path that is no file is the page, because the console does its own routing.
 */
export type ConsoleSite = {
  /** Null when the path is not below /console. */
  fetch(request: Request): Promise<Response> | null
}

export type ConsoleSiteOptions = {
  /** The folder of the build, once there is one; rejects when the build failed. */
  folder: Promise<string>
}

const BASE_PATH = '/console'

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The component library sets sizes and colours as style attributes.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const securityHeaders = { ...pageHeaders, 'Content-Security-Policy': CONTENT_SECURITY_POLICY }

const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

export function createConsoleSite({ folder }: ConsoleSiteOptions): ConsoleSite {
  let files: Map<string, StaticReply> | null = null
  let failure: Error | null = null
  const loading = folder.then(readFiles).then(
    (loaded) => {
      files = loaded
    },
    (error: Error) => {
      failure = error
    },
  )
  return {
    fetch(request) {
      const path = new URL(request.url).pathname
      if (path !== BASE_PATH && !path.startsWith(`${BASE_PATH}/`)) return null
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return Promise.resolve(new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } }))
      return answer(request, path)
    },
  }

  async function answer(request: Request, path: string): Promise<Response> {
    if (files === null && failure === null) await Promise.race([loading, wait(BUILD_WAIT_MS)])
    if (files === null) return notBuilt(failure)
    const name = path.slice(BASE_PATH.length + 1)
    const file = files.get(name)
    if (file !== undefined) return file(request)
    // A file that is gone after an upgrade must not come back as a page: the browser would run it as a script.
    if (name.startsWith('assets/')) return new Response(null, { status: 404, headers: securityHeaders })
    return storedValue(files, 'index.html')(request, isMaybeSignedIn(request) ? ASK_FOR_SESSION : {})
  }
}

/**
 * The console first asks for the session. This header lets a browser send that request while it still loads the script.
 * Without a cookie the answer is known, and the console goes to its sign-in page.
 */
const ASK_FOR_SESSION = { Link: '</api/auth/session>; rel=preload; as=fetch; crossorigin=anonymous' }
const isMaybeSignedIn = (request: Request) => request.headers.get('cookie')?.includes('session_token=') ?? false

const BUILD_WAIT_MS = 8_000
const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds).unref())

async function readFiles(folder: string): Promise<Map<string, StaticReply>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = new Map<string, StaticReply>()
  for (const entry of entries.filter((one) => one.isFile() && !one.name.startsWith('.'))) {
    const path = join(entry.parentPath, entry.name)
    const name = relative(folder, path).split(sep).join('/')
    const cacheControl = name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
    const contentType = CONTENT_TYPES[extname(name)] ?? 'application/octet-stream'
    files.set(
      name,
      createStaticReply({ body: await readFile(path), contentType, cacheControl, headers: securityHeaders }),
    )
  }
  if (!files.has('index.html')) throw new Error('the build of the console has no page')
  return files
}

function notBuilt(failure: Error | null): Response {
  const detail =
    failure === null
      ? 'The console is being built. This takes a few seconds after the first start; the page reloads automatically.'
      : `The console could not be built: ${failure.message} The API works without it. See the log of the server.`
  const escaped = detail.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${
    failure === null ? '<meta http-equiv="refresh" content="2">' : ''
  }<title>Nexkit console</title></head><body><p>${escaped}</p></body></html>`
  return new Response(page, {
    status: 503,
    headers: {
      ...securityHeaders,
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Retry-After': '2',
    },
  })
}
