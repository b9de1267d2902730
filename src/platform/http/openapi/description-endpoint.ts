import { newId } from '../../../kernel/ids.ts'
import { methodNotAllowed } from '../http.errors.ts'
import { standardHeaders } from '../pipeline/reply.ts'
import { problemOf } from '../problem.ts'
import { createStaticReply, type StaticReply } from '../static-content.ts'

/**
 * `GET …/openapi.json` and `GET …/asyncapi.json` below each base path, and the same as `.yaml`: every JSON document is one of
 * YAML 1.2, so the bytes are the same and only their name differs. Not routes like the others: they are the same for
 * everyone, need no key, and are written out once, while a route's answer is built, checked and stripped for every request.
 */
export type DescriptionEndpoint = {
  owns(path: string): boolean
  fetch(request: Request): Promise<Response>
}

const ALLOWED = 'GET, HEAD, OPTIONS'

export function createDescriptionEndpoint(options: {
  /** By the name of the file; generated on the first request. */
  documents: Readonly<Record<string, () => object>>
  basePaths: readonly string[]
  docsUrl: string
}): DescriptionEndpoint {
  const replies = new Map<string, () => StaticReply>()
  for (const [name, describe] of Object.entries(options.documents)) {
    for (const [file, contentType] of [
      [name, 'application/json'],
      [name.replace(/\.json$/, '.yaml'), 'application/yaml'],
    ] as const) {
      let generated: StaticReply | null = null
      const reply = () => {
        generated ??= replyWith(describe(), contentType)
        return generated
      }
      for (const basePath of options.basePaths) replies.set(`${basePath}/${file}`, reply)
    }
  }
  return {
    owns: (path) => replies.has(path),
    async fetch(request) {
      const requestId = newId('req')
      const reply = replies.get(new URL(request.url).pathname)
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      if (isRead && reply !== undefined) return reply()(request, { 'X-Request-Id': requestId })
      return request.method === 'OPTIONS' ? preflight(requestId) : refuse(request, requestId, options.docsUrl)
    },
  }
}

const replyWith = (document: object, contentType: string): StaticReply =>
  createStaticReply({
    body: JSON.stringify(document),
    contentType,
    // May be kept by anyone, but is asked for again each time: a new release shows at once, and mostly costs a 304.
    cacheControl: 'public, no-cache',
    headers: { ...standardHeaders, Vary: 'Accept-Encoding' },
  })

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
