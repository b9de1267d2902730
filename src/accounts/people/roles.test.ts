import { expect, test } from 'bun:test'
import type { Scope } from '../../kernel/scopes.ts'
import { type Power, type Role, roleNames, roles } from './roles.ts'

/** Written down apart from the roles themselves: a right that is given to one more role has to be given here, too. */
const POWERS: Record<Power, Role[]> = {
  'keys:manage': ['owner', 'admin', 'developer'],
  'agents:manage': ['owner', 'admin', 'developer'],
  'logs:read': ['owner', 'admin', 'developer'],
  'people:manage': ['owner', 'admin'],
  'owners:manage': ['owner'],
  'settings:manage': ['owner', 'admin'],
  'simulator:use': ['owner', 'admin', 'developer', 'agent'],
  'sandbox:advance': ['owner', 'admin', 'developer'],
  'audit:read': ['owner', 'admin'],
}

const SCOPES: Record<Scope, Role[]> = {
  'chats:read': ['owner', 'admin', 'developer', 'agent', 'viewer'],
  'chats:write': ['owner', 'admin', 'developer', 'agent'],
  'messages:send': ['owner', 'admin', 'developer', 'agent'],
  'orders:read': ['owner', 'admin', 'developer', 'agent', 'viewer'],
  'orders:write': ['owner', 'admin', 'developer', 'agent'],
  'products:read': ['owner', 'admin', 'developer', 'agent', 'viewer'],
  'products:write': ['owner', 'admin', 'developer', 'agent'],
  'events:read': ['owner', 'admin', 'developer', 'viewer'],
  'events:erase': ['owner', 'admin', 'developer'],
  'webhooks:read': ['owner', 'admin', 'developer', 'viewer'],
  'webhooks:write': ['owner', 'admin', 'developer'],
  'approvals:read': ['owner', 'admin', 'developer', 'agent', 'viewer'],
  'approvals:decide': ['owner', 'admin', 'developer', 'agent'],
  'settings:read': ['owner', 'admin', 'developer', 'viewer'],
  'settings:write': ['owner', 'admin'],
  'keys:read': ['owner', 'admin', 'developer'],
  'keys:write': ['owner', 'admin', 'developer'],
  'agents:read': ['owner', 'admin', 'developer'],
  'agents:write': ['owner', 'admin', 'developer'],
  'people:read': ['owner', 'admin', 'developer', 'viewer'],
  'people:write': ['owner', 'admin'],
  'contacts:erase': ['owner', 'admin'],
}

test.each(Object.entries(POWERS) as [Power, Role[]][])('%s is a power of %p and of no other role', (power, allowed) => {
  expect(roleNames.filter((role) => roles[role].powers.includes(power))).toEqual(allowed)
})

test.each(Object.entries(SCOPES) as [Scope, Role[]][])('%s is a scope of %p and of no other role', (scope, allowed) => {
  expect(roleNames.filter((role) => roles[role].scopes.includes(scope))).toEqual(allowed)
})
