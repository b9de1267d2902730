import type { AuditContext } from '../../accounts/audit/audit.ts'
import type { MediaContext } from '../../channels/media/media.ts'
import type { Route } from '../../platform/http/define-route.ts'
import { createPublicApi, type PublicApiOptions } from '../../platform/http/pipeline/public-api.ts'
import type { ReadSocketAddress } from '../../platform/runtime/server.ts'
import { audited } from './audited.ts'
import type { LiveStreams } from './live/live-stream.ts'
import { sendFile } from './media/media-file.ts'
import type { MediaLimitsReader } from './media/media-limits.ts'
import { createUpload, UPLOAD_PATH } from './media/media-upload.ts'
import { type AuthRouteParts, authRoutes } from './sign-in/auth.routes.ts'
import { createSessionAuthenticator, refuseSession, type SessionParts } from './sign-in/session-caller.ts'

/**
 * The three APIs of the console, all through the same pipeline as the public API:
 *
 *   /api/auth     signing in and out
 *   /api/proxy    the public handlers, as the person who is signed in: same validation, same events, same log
 *   /api/console  what the public API does not offer
 */
export type ConsoleApiOptions = Omit<
  PublicApiOptions,
  'routes' | 'basePaths' | 'authenticate' | 'credentialRefusal'
> & {
  session: SessionParts
  auth: AuthRouteParts
  publicRoutes: readonly Route[]
  consoleRoutes: readonly Route[]
  /** The log that records every change through these APIs. */
  audit: AuditContext
  live: LiveStreams
  media: MediaContext
  readMediaLimits: MediaLimitsReader
}

export type ConsoleApi = {
  /** Null when the path belongs to none of the three APIs. */
  fetch(request: Request, readSocketAddress: ReadSocketAddress): Response | Promise<Response> | null
}

const LIVE_PATH = '/api/console/live'
const MEDIA_PATH = /^\/api\/console\/media\/([A-Za-z0-9_]{1,64})$/

/** These describe the calling key, or need a platform key, which a person does not have. */
const OF_KEYS_ONLY = [
  'getMe',
  'getOwnAgent',
  'listOrganizations',
  'createOrganization',
  'getOrganizationById',
  'updateOrganizationById',
  'suspendOrganization',
  'resumeOrganization',
]

export function createConsoleApi(options: ConsoleApiOptions): ConsoleApi {
  const shared = {
    ...options,
    authenticate: createSessionAuthenticator(options.session),
    credentialRefusal: refuseSession,
  }
  const createApi = (basePath: string, routes: readonly Route[]) =>
    createPublicApi({ ...shared, basePaths: [basePath], routes: audited(options.audit, routes) })
  const apis = [
    createApi('/api/auth', authRoutes(options.auth, options)),
    createApi(
      '/api/proxy',
      options.publicRoutes.filter(({ id }) => !OF_KEYS_ONLY.includes(id)),
    ),
    createApi('/api/console', options.consoleRoutes),
  ]
  const upload = createUpload({ ...shared, readLimits: options.readMediaLimits })
  const authenticateStream = createSessionAuthenticator(options.session, { isNoted: false })
  const openLive = async (request: Request, address: string) => {
    const authentication = await authenticateStream(request, address)
    // With 204 a browser does not reconnect; the page sees with its next call that the session is over.
    if (!authentication.ok) return new Response(null, { status: 204 })
    const { orgId } = authentication.caller
    const isStillAllowed = async () => {
      const now = await authenticateStream(request, address)
      return now.ok && now.caller.orgId === orgId
    }
    // A browser that has to begin anew, not only again, can name its place in the address alone.
    const lastEventId = request.headers.get('last-event-id') ?? new URL(request.url).searchParams.get('last_event_id')
    return options.live.open({ orgId, signal: request.signal, lastEventId, isStillAllowed })
  }
  const openFile = async (request: Request, address: string, id: string) => {
    const authentication = await shared.authenticate(request, address)
    if (!authentication.ok || !authentication.caller.scopes.includes('chats:read'))
      return new Response(null, { status: 403 })
    return sendFile(options.media, authentication.caller.orgId, id)
  }
  return {
    fetch(request, readSocketAddress) {
      // An API key has no business here, whatever it asks for; what answers everything else in these places refuses it.
      if (request.headers.has('authorization') || !isWorthAsking(request)) return null
      const { pathname } = new URL(request.url)
      const readAddress = () => options.readClientAddress(readSocketAddress(request), request)
      if (request.method === 'POST' && pathname === UPLOAD_PATH) return upload(request, readAddress())
      if (request.method === 'GET' && pathname === LIVE_PATH) return openLive(request, readAddress())
      const [, mediaId] = (request.method === 'GET' && MEDIA_PATH.exec(pathname)) || []
      if (mediaId !== undefined) return openFile(request, readAddress(), mediaId)
      for (const api of apis) {
        const answer = api.fetch(request, readSocketAddress)
        if (answer !== null) return answer
      }
      return null
    },
  }
}

/** Without a session only sign-in is served; the other paths are not distinguished. */
function isWorthAsking(request: Request): boolean {
  const { pathname } = new URL(request.url)
  return pathname.startsWith('/api/auth/') || (request.headers.get('cookie')?.includes('session_token=') ?? false)
}
