import { type Role, roles } from '../accounts/people/people.ts'

/** What people are alerted to by e-mail. Those get an alert who may do something about it. */
export const alertKinds = ['endpoint', 'number', 'key', 'approval'] as const
export type AlertKind = (typeof alertKinds)[number]

export type Alert = {
  kind: AlertKind
  /** The id of what it is about. */
  subject: string
  /** Of an endpoint `degraded` or `disabled`, of a key the days that are left. */
  stage: string
}

const concerns: Record<AlertKind, (rights: (typeof roles)[Role]) => boolean> = {
  endpoint: ({ scopes }) => scopes.includes('webhooks:write'),
  number: ({ powers }) => powers.includes('settings:manage'),
  key: ({ powers }) => powers.includes('keys:manage'),
  approval: ({ scopes }) => scopes.includes('approvals:decide'),
}

export const isConcerned = (role: Role, kind: AlertKind): boolean => concerns[kind](roles[role])
