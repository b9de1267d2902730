import type { Authentication, Caller } from './caller.ts'
import { createPublicApi, type PublicApiOptions } from './public-api.ts'

/**
 * Serves the public routes to code in this process that has already authenticated its caller. A request passes the same checks,
 * is logged and takes effect like a request from outside, but carries no token.
 */
export type InternalApi = {
  /** Prefix of every route path. */
  baseUrl: string
  call(caller: Caller, request: Request, address: string): Promise<Response>
}

const ORIGIN = 'http://localhost'

export function createInternalApi(
  options: Omit<PublicApiOptions, 'authenticate' | 'basePaths' | 'readClientAddress'> & { basePath: string },
): InternalApi {
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
    baseUrl: `${ORIGIN}${options.basePath}`,
    async call(caller, request, address) {
      callers.set(request, caller)
      const response = await api.fetch(request, () => address)
      if (response === null) throw new Error(`${request.url} is not below ${options.basePath}`)
      return response
    },
  }
}
