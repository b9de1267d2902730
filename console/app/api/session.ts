import { queryOptions } from '@tanstack/react-query'
import { authApi } from './client.ts'

export type Role = 'owner' | 'admin' | 'developer' | 'agent' | 'viewer'

export type Session = {
  person: { id: string; name: string; email: string; is_two_factor_on: boolean }
  organizations: { id: string; name: string; slug: string; role: Role }[]
  organization: {
    id: string
    name: string
    slug: string
    role: Role
    scopes: string[]
    powers: string[]
    /** Whether nothing leaves this machine. */
    is_simulated: boolean
  }
  /** Where the live stream stood before anything on the page was read. */
  live_place: string
  version: string
}

export type SignIn = { needs: 'second_factor' | null }

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => authApi.get<Session>('/session'),
  staleTime: 60_000,
  retry: false,
})

/** Whether the session is over while the page is still shown. */
export const signedOutQuery = queryOptions({
  queryKey: ['signed-out'],
  queryFn: () => false,
  staleTime: Number.POSITIVE_INFINITY,
})

export const signIn = (credentials: { email: string; password: string }) => authApi.post<SignIn>('/login', credentials)
export const confirmSecondFactor = (code: { code: string } | { backup_code: string }) =>
  authApi.post<SignIn>('/second-factor', code)
export const signOut = () => authApi.post<void>('/logout')
export const switchOrganization = (id: string) => authApi.post<Session>('/organization', { id })

export const may = (session: Session | undefined, right: string): boolean =>
  session !== undefined && (session.organization.scopes.includes(right) || session.organization.powers.includes(right))
