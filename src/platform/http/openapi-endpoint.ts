import { newId } from '../../kernel/ids.ts'
import { methodNotAllowed } from './http.errors.ts'
import type { OpenApiDocument } from './openapi.ts'
import { problemOf } from './problem.ts'
import { standardHeaders } from './reply.ts'
import { createStaticReply } from './static-content.ts'

/**
 * `GET …/openapi.json` below each base path. Not a route like the others: it is the same for everyone, needs no key, and
 * is written out once, while a route's answer is built, checked and stripped for every request.
 */
export type OpenApiEndpoint = {
  owns(path: string): boolean
  fetch(request: Request): Promise<Response>
}

const ALLOWED = 'GET, HEAD, OPTIONS'

export function createOpenApiEndpoint(options: {
  document: OpenApiDocument
  basePaths: readonly string[]
  docsUrl: string
}): OpenApiEndpoint {
  const paths = new Set(options.basePaths.map((basePath) => `${basePath}/openapi.json`))
  const reply = createStaticReply({
    body: JSON.stringify(options.document),
    contentType: 'application/json',
    // May be kept by anyone, but is asked for again each time: a new release shows at once, and mostly costs a 304.
    cacheControl: 'public, no-cache',
    headers: { ...standardHeaders, Vary: 'Accept-Encoding' },
  })
  return {
    owns: (path) => paths.has(path),
    async fetch(request) {
      const requestId = newId('req')
      if (request.method === 'GET' || request.method === 'HEAD') return reply(request, { 'X-Request-Id': requestId })
      return request.method === 'OPTIONS' ? preflight(requestId) : refuse(request, requestId, options.docsUrl)
    },
  }
}

const preflight = (requestId: string) =>
  new Response(null, {
    status: 204,
    headers: {
      ...standardHeaders,
      'X-Request-Id': requestId,
      Allow: ALLOWED,
      'Access-Control-Allow-Methods': ALLOWED,
      'Access-Control-Allow-Headers': 'Authorization, Accept, If-None-Match',
      'Access-Control-Max-Age': '7200',
    },
  })

function refuse(request: Request, requestId: string, docsUrl: string): Response {
  const error = methodNotAllowed({ headers: { Allow: ALLOWED }, params: { allowed: ALLOWED.split(', ') } })
  const problem = problemOf(error, { requestId, path: new URL(request.url).pathname, docsUrl })
  return new Response(JSON.stringify(problem), {
    status: error.status,
    headers: {
      ...standardHeaders,
      'X-Request-Id': requestId,
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      ...error.options.headers,
    },
  })
}
