import { useCallback, useMemo, useRef } from 'react'
import type { Routes } from './generated.ts'
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

/** Called when a request finds that the session has ended. */
let onSignedOut: () => void = () => {}
export const whenSignedOut = (callback: () => void) => {
  onSignedOut = callback
}

/** What changes something and is not answered yet, by what it asks. */
const underWay = new Map<string, Promise<unknown>>()

/**
 * The second click of a double click comes before the button looks busy. What it asks for is being done already, so it joins that
 * call and shares its answer. After the answer the same act is meant again, and is sent. A call that can be aborted is never
 * shared, because it would be aborted for both.
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

/** What a route takes, besides what every call may carry. */
type CallOptions<Name extends keyof Routes> = Omit<Routes[Name], 'reply'> &
  Pick<RequestOptions, 'signal' | 'idempotencyKey'>
type Given = RequestOptions & { params?: Record<string, string> }

/** Calls a route of the server by its method and path: what it takes and answers is what the server declares. */
export function call<Name extends keyof Routes>(
  route: Name,
  ...[options]: Record<never, never> extends CallOptions<Name> ? [CallOptions<Name>?] : [CallOptions<Name>]
): Promise<Routes[Name]['reply']> {
  const { params = {}, ...given }: Given = options ?? {}
  const [method, template] = route.split(' ') as [Method, string]
  const path = template.replaceAll(/{(\w+)}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  return request(method, path, method === 'POST' ? { ...given, body: given.body ?? {} } : given)
}

/** The paths that answer a list that continues by cursor, and what is in it. */
export type ListPath = {
  [Name in keyof Routes]: Name extends `GET ${infer Path}`
    ? Routes[Name]['reply'] extends List<unknown>
      ? Path
      : never
    : never
}[keyof Routes]
export type RowOf<Path extends ListPath> = Extract<Routes[`GET ${Path}`]['reply'], List<unknown>>['data'][number]

export type List<Item> = { object: 'list'; data: Item[]; has_more: boolean; next_cursor: string | null }

/** A key for one act, so that it is done once even when it is sent twice. */
const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/**
 * The key of what is being sent: the same one when the same thing is sent again after a lost answer, another one after a change
 * and after a success, because the same words can be meant twice.
 */
export function useIdempotencyKey() {
  const last = useRef({ body: '', key: '' })
  const keyFor = useCallback((body: unknown): string => {
    const text = JSON.stringify(body)
    if (last.current.body !== text) last.current = { body: text, key: newIdempotencyKey() }
    return last.current.key
  }, [])
  const forget = useCallback(() => {
    last.current = { body: '', key: '' }
  }, [])
  const hear = useCallback(
    (error: unknown) => {
      if (!isUnheard(error)) forget()
    },
    [forget],
  )
  return useMemo(() => ({ keyFor, forget, hear }), [keyFor, forget, hear])
}

/** Whether the act may have been done although no answer tells so. Who has heard a refusal means a new try. */
const isUnheard = (error: unknown): boolean =>
  error instanceof Problem && (error.status === 0 || error.status >= 500 || error.code === 'idempotency_key_in_use')
