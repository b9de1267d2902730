import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: ({ signal }) => call('GET /api/auth/sign-in-options', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Survives the way to the provider and back, in this tab. */
const NEXT = 'nexkit.sso.next'
export const nextAfterSso = () => sessionStorage.getItem(NEXT) ?? '/console'

/** Leaves the page for the provider. */
export async function startSso(next: string): Promise<void> {
  const { url } = await call('POST /api/auth/sso/start')
  sessionStorage.setItem(NEXT, next)
  location.assign(url)
}

/** Null when the provider did not send the browser here. */
export const ssoReturn = () => {
  const query = new URLSearchParams(location.search)
  const state = query.get('state')
  return state === null ? null : { ...pick(query, ['code', 'iss', 'error']), state }
}

const pick = (query: URLSearchParams, names: string[]): { code?: string; iss?: string; error?: string } =>
  Object.fromEntries(names.flatMap((name) => (query.has(name) ? [[name, query.get(name)]] : [])))

/** Once per page: the provider's code works once. */
export const ssoResultQuery = (body: NonNullable<ReturnType<typeof ssoReturn>>) =>
  queryOptions({
    queryKey: ['sso', body.state],
    queryFn: () => call('POST /api/auth/sso', { body }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
