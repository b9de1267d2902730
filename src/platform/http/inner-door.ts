import type { Authentication, Caller } from './caller.ts'
import { createPublicApi, type PublicApiOptions } from './public-api.ts'

/**
 * The routes for callers who are known already: whoever acts for somebody within the process sends a request through the same
 * checks, the same log and the same effects as one that came from outside, without a token in it.
 */
export type InnerDoor = {
  /** The path is the route's own, without a base path. */
  call(caller: Caller, request: InnerRequest): Promise<Response>
}

export type InnerRequest = {
  method: string
  path: string
  /** Without the question mark. */
  query?: string
  body?: string | null
  headers?: Record<string, string>
  address: string
}

const ORIGIN = 'http://localhost'

export function createInnerDoor(
  options: Omit<PublicApiOptions, 'authenticate' | 'basePaths' | 'readClientAddress'> & { basePath: string },
): InnerDoor {
  const callers = new WeakMap<Request, Caller>()
  const authenticate = (request: Request): Authentication => {
    const caller = callers.get(request)
    return caller === undefined ? { ok: false, failure: 'missing', credentialSent: false } : { ok: true, caller }
  }
  const api = createPublicApi({
    ...options,
    basePaths: [options.basePath],
    authenticate,
    readClientAddress: (address) => address,
  })
  return {
    async call(caller, { method, path, query = '', body = null, headers, address }) {
      const url = `${ORIGIN}${options.basePath}${path}${query === '' ? '' : `?${query}`}`
      const request = new Request(url, {
        method,
        headers: { ...headers, ...(body !== null && { 'content-type': 'application/json' }) },
        ...(body !== null && { body }),
      })
      callers.set(request, caller)
      // Below its own base path nothing is anybody else's.
      return api.fetch(request, () => address) as Promise<Response>
    },
  }
}
