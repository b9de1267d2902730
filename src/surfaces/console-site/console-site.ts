import { createBuiltSite } from '../../platform/http/built-site.ts'
import { pageHeaders, type StaticReply } from '../../platform/http/static-content.ts'

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
const PAGE = 'index.html'

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

export function createConsoleSite({ folder }: ConsoleSiteOptions): ConsoleSite {
  const site = createBuiltSite({ title: 'console', folder, headers: securityHeaders, index: PAGE })
  return {
    fetch(request) {
      const path = new URL(request.url).pathname
      if (path !== BASE_PATH && !path.startsWith(`${BASE_PATH}/`)) return null
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return Promise.resolve(new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } }))
      return answer(request, path.slice(BASE_PATH.length + 1))
    },
  }

  async function answer(request: Request, name: string): Promise<Response> {
    const files = await site.open()
    if (files instanceof Response) return files
    const file = await files.find(name)
    if (file !== null) return file(request)
    // A file that is gone after an upgrade must not come back as a page: the browser would run it as a script.
    if (name.startsWith('assets/')) return new Response(null, { status: 404, headers: securityHeaders })
    if (!isMaybeSignedIn(request) && !ENTRANCE.test(name)) return goToSignIn(request, name)
    const page = await files.find(PAGE)
    return (page as StaticReply)(request, isMaybeSignedIn(request) ? ASK_FOR_SESSION : {})
  }
}

/**
 * The console first asks for the session. This header lets a browser send that request while it still loads the script.
 * Without a cookie the answer is known, and the browser is sent to the pages before sign-in, which load a third as much.
 */
const ASK_FOR_SESSION = { Link: '</api/auth/session>; rel=preload; as=fetch; crossorigin=anonymous' }
const isMaybeSignedIn = (request: Request) => request.headers.get('cookie')?.includes('session_token=') ?? false
const ENTRANCE = /^(?:sign-in|reset-password|invitations)(?:\/|$)/

function goToSignIn(request: Request, name: string): Response {
  const query = new URLSearchParams({ next: `/${name}${new URL(request.url).search}` })
  const location = name === '' ? `${BASE_PATH}/sign-in` : `${BASE_PATH}/sign-in?${query}`
  return new Response(null, {
    status: 302,
    headers: { ...securityHeaders, Location: location, 'Cache-Control': 'no-store' },
  })
}
