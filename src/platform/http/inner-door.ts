import type { Authentication, Caller } from './caller.ts'
import { createPublicApi, type PublicApiOptions } from './public-api.ts'

/**
 * The routes for callers who are known already: whoever acts for somebody within the process sends a request through the same
 * checks, the same log and the same effects as one that came from outside, without a token in it.
 */
export type InnerDoor = {
  /** What the paths of routes are below. */
  baseUrl: string
  call(caller: Caller, request: Request, address: string): Promise<Response>
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
    baseUrl: `${ORIGIN}${options.basePath}`,
    async call(caller, request, address) {
      callers.set(request, caller)
      const response = await api.fetch(request, () => address)
      if (response === null) throw new Error(`${request.url} is not below ${options.basePath}`)
      return response
    },
  }
}
