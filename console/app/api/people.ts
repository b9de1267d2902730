import { queryOptions } from '@tanstack/react-query'
import { authApi, consoleApi } from './client.ts'
import type { Role } from './session.ts'

export type Member = {
  id: string
  name: string
  email: string
  role: Role
  is_two_factor_on: boolean
  joined_at: string
  last_seen_at: string | null
}
export type Invitation = {
  id: string
  email: string
  role: Role
  /** False where this server sends no mail: the link has to be handed over. */
  is_mailed: boolean
  link: string | null
  expires_at: string
  created_at: string
}
export type InvitationView = {
  organization: string
  email: string
  role: Role
  expires_at: string
  is_known_person: boolean
}
export type OpenSession = {
  id: string
  is_current: boolean
  address: string | null
  user_agent: string | null
  created_at: string
  last_seen_at: string
}

export const roleNames: Role[] = ['owner', 'admin', 'developer', 'agent', 'viewer']

export const teamQuery = queryOptions({
  queryKey: ['team'],
  queryFn: ({ signal }) => consoleApi.get<{ members: Member[]; invitations: Invitation[] }>('/people', {}, signal),
})
export const invitePerson = (input: { email: string; role: Role }) => consoleApi.post<Invitation>('/invitations', input)
export const withdrawInvitation = (id: string) => consoleApi.remove<void>(`/invitations/${id}`)
export const changeRole = (id: string, role: Role) => consoleApi.patch<Member>(`/people/${id}`, { role })
export const removePerson = (id: string) => consoleApi.remove<void>(`/people/${id}`)

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => authApi.get<{ data: OpenSession[] }>('/sessions', {}, signal),
})
export const endSession = (id: string) => authApi.remove<void>(`/sessions/${id}`)
export const changePassword = (current: string, next: string) =>
  authApi.post<void>('/password', { current_password: current, new_password: next })
export const requestReset = (email: string) => authApi.post<void>('/password-reset', { email })
export const confirmReset = (token: string, password: string) =>
  authApi.post<void>('/password-reset/confirm', { token, new_password: password })
export const startTwoFactor = (password: string) =>
  authApi.post<{ uri: string; backup_codes: string[] }>('/two-factor', { password })
export const confirmTwoFactor = (code: string) => authApi.post<void>('/two-factor/confirm', { code })
export const endTwoFactor = (password: string) => authApi.post<void>('/two-factor/off', { password })
export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: () => authApi.get<InvitationView>(`/invitations/${encodeURIComponent(token)}`),
    retry: false,
  })
export const acceptInvitation = (token: string, person: { name: string; password: string }) =>
  authApi.post<{ email: string }>(`/invitations/${encodeURIComponent(token)}`, person)
export const joinOrganization = (token: string) =>
  authApi.post<{ id: string }>(`/invitations/${encodeURIComponent(token)}/join`)
