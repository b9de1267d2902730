import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { powerNames, SessionView, scopeNames } from './generated.ts'

export type { SessionView as Session } from './generated.ts'

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => call('GET /api/auth/session'),
  staleTime: 60_000,
  retry: false,
})

/** Whether the session is over while the page is still shown. */
export const signedOutQuery = queryOptions({
  queryKey: ['signed-out'],
  queryFn: () => false,
  staleTime: Number.POSITIVE_INFINITY,
})

export const signIn = (body: { email: string; password: string }) => call('POST /api/auth/login', { body })
export const confirmSecondFactor = (body: { code: string } | { backup_code: string }) =>
  call('POST /api/auth/second-factor', { body })
export const signOut = () => call('POST /api/auth/logout')
export const switchOrganization = (id: string) => call('POST /api/auth/organization', { body: { id } })

/** A scope, or a power that only the console knows. */
export type Right = (typeof scopeNames)[number] | (typeof powerNames)[number]

export const may = (session: SessionView | undefined, right: Right): boolean =>
  session !== undefined && (session.organization.scopes.includes(right) || session.organization.powers.includes(right))
