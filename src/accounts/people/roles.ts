import { allScopes, type Scope } from '../../kernel/scopes.ts'

/**
 * What a member of an organization may do. `scopes` decides about everything the public API offers too, exactly as for a key;
 * `powers` about what only the console has.
 */
export const roleNames = ['owner', 'admin', 'developer', 'agent', 'viewer'] as const
export type Role = (typeof roleNames)[number]

const allPowers = [
  'keys:manage',
  'agents:manage',
  'logs:read',
  'people:manage',
  // Adding and removing owners.
  'owners:manage',
  // Business numbers and payment accounts too.
  'settings:manage',
  'simulator:use',
  'sandbox:advance',
  'audit:read',
] as const
export type Power = (typeof allPowers)[number]

type RoleRights = { scopes: readonly Scope[]; powers: readonly Power[] }

/** Scopes for what the powers `settings:manage` and `people:manage` cover, and what cannot be undone. */
const OF_ADMINS: readonly Scope[] = ['settings:write', 'people:write', 'contacts:erase']
/** Scopes for what the powers `keys:manage` and `agents:manage` cover. */
const OF_DEVELOPERS: readonly Scope[] = ['keys:read', 'agents:read']

export const roles: Record<Role, RoleRights> = {
  owner: { scopes: allScopes, powers: allPowers },
  admin: {
    scopes: allScopes,
    powers: [
      'keys:manage',
      'agents:manage',
      'logs:read',
      'people:manage',
      'settings:manage',
      'simulator:use',
      'sandbox:advance',
      'audit:read',
    ],
  },
  developer: {
    scopes: allScopes.filter((scope) => !OF_ADMINS.includes(scope)),
    powers: ['keys:manage', 'agents:manage', 'logs:read', 'simulator:use', 'sandbox:advance'],
  },
  agent: {
    scopes: [
      'chats:read',
      'chats:write',
      'messages:send',
      'orders:read',
      'orders:write',
      'products:read',
      'products:write',
      'approvals:read',
      'approvals:decide',
    ],
    powers: ['simulator:use'],
  },
  viewer: {
    scopes: allScopes.filter((scope) => scope.endsWith(':read') && !OF_DEVELOPERS.includes(scope)),
    powers: [],
  },
}

/** The roles that a member with this role may assign. */
export function rolesGivenBy(role: Role): Role[] {
  const { powers } = roles[role]
  if (!powers.includes('people:manage')) return []
  return roleNames.filter((given) => given !== 'owner' || powers.includes('owners:manage'))
}

/** The people of a sandbox are those of its live organization, so they are managed there. */
export const powersIn = (role: Role, { isSandbox }: { isSandbox: boolean }): readonly Power[] =>
  isSandbox ? roles[role].powers.filter((power) => !OF_LIVE_ONLY.includes(power)) : roles[role].powers

const OF_LIVE_ONLY: readonly Power[] = ['people:manage', 'owners:manage']

export const isRole = (text: string): text is Role => text in roles
