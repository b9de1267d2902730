import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import { type AlertSettings, type Member, roleNames } from './generated.ts'

export type { Invitation, Member } from './generated.ts'
export type Role = Member['role']
export { roleNames }

export const teamQuery = queryOptions({
  queryKey: ['team'],
  queryFn: ({ signal }) => call('GET /api/console/people', { signal }),
})
export const invitePerson = (body: { email: string; role: Role }) => call('POST /api/console/invitations', { body })
export const withdrawInvitation = (id: string) => call('DELETE /api/console/invitations/{id}', { params: { id } })
export const changeRole = (id: string, role: Role) =>
  call('PATCH /api/console/people/{id}', { params: { id }, body: { role } })
export const removePerson = (id: string) => call('DELETE /api/console/people/{id}', { params: { id } })

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call('GET /api/auth/sessions', { signal }),
})
export const endSession = (id: string) => call('DELETE /api/auth/sessions/{id}', { params: { id } })
export const changePassword = (current: string, next: string) =>
  call('POST /api/auth/password', { body: { current_password: current, new_password: next } })
export const requestReset = (email: string) => call('POST /api/auth/password-reset', { body: { email } })
export const confirmReset = (token: string, password: string) =>
  call('POST /api/auth/password-reset/confirm', { body: { token, new_password: password } })
export const startTwoFactor = (password: string) => call('POST /api/auth/two-factor', { body: { password } })
export const confirmTwoFactor = (code: string) => call('POST /api/auth/two-factor/confirm', { body: { code } })
export const endTwoFactor = (password: string) => call('POST /api/auth/two-factor/off', { body: { password } })
export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: () => call('GET /api/auth/invitations/{token}', { params: { token } }),
    retry: false,
  })
export const acceptInvitation = (token: string, body: { name: string; password: string }) =>
  call('POST /api/auth/invitations/{token}', { params: { token }, body })
export const joinOrganization = (token: string) =>
  call('POST /api/auth/invitations/{token}/join', { params: { token } })

export type MailAlertChoices = Omit<AlertSettings, 'is_mail_on'>
export const mailAlertsQuery = queryOptions({
  queryKey: ['mail-alerts'],
  queryFn: ({ signal }) => call('GET /api/auth/alerts', { signal }),
})
export const saveMailAlerts = (body: MailAlertChoices) => call('POST /api/auth/alerts', { body })
