import { newIdempotencyKey } from './idempotency.ts'
import { offline, Problem, type ProblemDocument } from './problem.ts'

/**
 * Everything the console asks. `/api/proxy` is the public API as the signed-in person, `/api/console` what only the console
 * has, `/api/auth` signing in and out. Cookies carry the session; the server checks where the call came from.
 */
export type Query = Record<string, string | number | boolean | readonly string[] | null | undefined>

export type RequestOptions = {
  query?: Query | undefined
  body?: unknown
  signal?: AbortSignal | undefined
  /** Given when the same act may be sent twice (a retry after a lost answer); else each POST has one of its own. */
  idempotencyKey?: string | undefined
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** Told when the session is no longer good, wherever that is noticed. */
let onSignedOut: () => void = () => {}
export const whenSignedOut = (callback: () => void) => {
  onSignedOut = callback
}

/** What changes something and is not answered yet, by what it asks. */
const underWay = new Map<string, Promise<unknown>>()

/**
 * The second click of a double click comes before the button looks busy. What it asks for is being done already, so it joins that
 * call and shares its answer. After the answer the same act is meant again, and is sent. A call that can be called off is nobody
 * else's, because it would be called off for both.
 */
export function request<Reply>(method: Method, path: string, options: RequestOptions = {}): Promise<Reply> {
  if (method === 'GET' || options.signal !== undefined) return send<Reply>(method, path, options)
  const act = JSON.stringify([method, path, options])
  const joined = underWay.get(act)
  if (joined !== undefined) return joined as Promise<Reply>
  const sent = send<Reply>(method, path, options).finally(() => underWay.delete(act))
  underWay.set(act, sent)
  return sent
}

async function send<Reply>(method: Method, path: string, options: RequestOptions): Promise<Reply> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (options.body !== undefined) headers['content-type'] = 'application/json'
  if (method === 'POST') headers['idempotency-key'] = options.idempotencyKey ?? newIdempotencyKey()
  const response = await fetch(path + queryText(options.query), {
    method,
    headers,
    credentials: 'same-origin',
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
    ...(options.signal && { signal: options.signal }),
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw offline()
  })
  if (response.ok) return response.status === 204 ? (undefined as Reply) : ((await response.json()) as Reply)
  throw await readProblem(response, path)
}

export async function readProblem(response: Response, path: string): Promise<Problem> {
  const document = (await response.json().catch(() => null)) as ProblemDocument | null
  if (response.status === 401 && !path.startsWith('/api/auth/')) onSignedOut()
  if (document === null || typeof document.code !== 'string')
    return new Problem({
      status: response.status,
      code: 'unreadable_answer',
      params: { status: response.status },
      detail: `The server answered ${response.status} without saying why. Try again, or look into its log.`,
    })
  return new Problem(document)
}

export function queryText(query: Query = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === '') continue
    for (const item of Array.isArray(value) ? value : [value]) parameters.append(name, String(item))
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

const under = (base: string) => ({
  get: <Reply>(path: string, query?: Query, signal?: AbortSignal) =>
    request<Reply>('GET', base + path, { query, signal }),
  post: <Reply>(path: string, body?: unknown, idempotencyKey?: string) =>
    request<Reply>('POST', base + path, { body: body ?? {}, idempotencyKey }),
  patch: <Reply>(path: string, body: unknown) => request<Reply>('PATCH', base + path, { body }),
  remove: <Reply>(path: string) => request<Reply>('DELETE', base + path),
})

export const publicApi = under('/api/proxy')
export const consoleApi = under('/api/console')
export const authApi = under('/api/auth')

export type List<Item> = { object: 'list'; data: Item[]; has_more: boolean; next_cursor: string | null }
