import { allScopes, type Scope } from '../../kernel/scopes.ts'

/**
 * What a member of an organization may do. `scopes` decides about everything the public API offers too, exactly as for a key;
 * `powers` about what only the console has.
 */
export const roleNames = ['owner', 'admin', 'developer', 'agent', 'viewer'] as const
export type Role = (typeof roleNames)[number]

const powerDescriptions = {
  'keys:manage': 'Make, rotate and revoke API keys',
  'logs:read': 'Read request logs',
  'people:manage': 'Invite people, change their roles and remove them',
  'owners:manage': 'Make and remove owners',
  'settings:manage': 'Change settings, business numbers and payment accounts',
  'simulator:use': 'Play the customer and pay in the simulator',
  'audit:read': 'Read the audit log',
} as const
export type Power = keyof typeof powerDescriptions

export type RoleRights = { description: string; scopes: readonly Scope[]; powers: readonly Power[] }

const readScopes = allScopes.filter((scope) => scope.endsWith(':read'))

export const roles: Record<Role, RoleRights> = {
  owner: {
    description: 'Everything, including who else is an owner',
    scopes: allScopes,
    powers: Object.keys(powerDescriptions) as Power[],
  },
  admin: {
    description: 'Everything but the owners',
    scopes: allScopes,
    powers: ['keys:manage', 'logs:read', 'people:manage', 'settings:manage', 'simulator:use', 'audit:read'],
  },
  developer: {
    description: 'Keys, webhooks, logs, and everything the API can do',
    scopes: allScopes,
    powers: ['keys:manage', 'logs:read', 'simulator:use'],
  },
  agent: {
    description: 'Answers customers and takes orders',
    scopes: ['chats:read', 'chats:write', 'messages:send', 'orders:read', 'orders:write'],
    powers: ['simulator:use'],
  },
  viewer: { description: 'Sees everything the API can read, changes nothing', scopes: readScopes, powers: [] },
}

export const isRole = (text: string): text is Role => text in roles
