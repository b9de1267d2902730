import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../test/support/app.ts'
import { type Browser, signedIn } from '../../../test/support/console.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import { type Power, type Role, roleNames, roles } from '../../accounts/people/roles.ts'
import { consoleRoutes } from '../../boot/console-routes.ts'
import { describedRoutes } from '../../boot/public-routes.ts'
import { isScope, type Scope } from '../../kernel/scopes.ts'
import { type Route, unserved } from '../../platform/http/define-route.ts'
import { authRoutes } from './sign-in/auth.routes.ts'

/**
 * Who may do what, for every operation of the console's APIs. The tables are written by hand, because what is declared at a route
 * may be wrong; that they name every route is checked.
 */
const app = useTestApp()

const CONSOLE: Record<string, Power | Scope | 'any member'> = {
  listKeys: 'keys:manage',
  createKey: 'keys:manage',
  rotateKey: 'keys:manage',
  revokeKey: 'keys:manage',
  listAgents: 'agents:manage',
  createAgent: 'agents:manage',
  getAgent: 'agents:manage',
  updateAgent: 'agents:manage',
  pauseAllAgents: 'agents:manage',
  pauseAgent: 'agents:manage',
  resumeAgent: 'agents:manage',
  endAgent: 'agents:manage',
  rotateAgentToken: 'agents:manage',
  getConnectionAddress: 'any member',
  getConnectionRequest: 'any member',
  agreeToConnection: 'agents:manage',
  refuseConnection: 'any member',
  listPeople: 'any member',
  invitePerson: 'people:manage',
  withdrawInvitation: 'people:manage',
  changeRole: 'people:manage',
  removePerson: 'people:manage',
  listRequestLogs: 'logs:read',
  getRequestLogFacets: 'logs:read',
  getEndpointStatistics: 'webhooks:read',
  getDeliveryPayload: 'webhooks:read',
  revealWebhookSecret: 'keys:manage',
  getRequestLog: 'logs:read',
  getSettings: 'any member',
  listSettingChoices: 'any member',
  changeSettings: 'settings:manage',
  getRestoredWork: 'settings:manage',
  getSandbox: 'any member',
  createSandbox: 'settings:manage',
  resetSandbox: 'settings:manage',
  advanceSandbox: 'sandbox:advance',
  listConnectors: 'any member',
  listNumbers: 'any member',
  getNumber: 'any member',
  createNumber: 'settings:manage',
  updateNumber: 'settings:manage',
  pauseNumber: 'settings:manage',
  resumeNumber: 'settings:manage',
  deleteNumber: 'settings:manage',
  probeNumber: 'settings:manage',
  listTemplates: 'any member',
  getMediaLimits: 'any member',
  listLabels: 'any member',
  listSavedViews: 'any member',
  replaceSavedViews: 'any member',
  sendMessageAgain: 'messages:send',
  listPaymentAccounts: 'any member',
  getPaymentAccount: 'any member',
  createPaymentAccount: 'settings:manage',
  updatePaymentAccount: 'settings:manage',
  probePaymentAccount: 'settings:manage',
  getFigures: 'any member',
  getChecklist: 'any member',
  search: 'any member',
  listAuditEntries: 'audit:read',
  verifyAudit: 'audit:read',
}

const AUTH: Record<string, 'no session' | 'any session' | 'any member'> = {
  signIn: 'no session',
  confirmSecondFactor: 'no session',
  startPasskeySignIn: 'no session',
  signInWithPasskey: 'no session',
  getSignInOptions: 'no session',
  startSso: 'no session',
  signInWithSso: 'no session',
  signOut: 'no session',
  requestPasswordReset: 'no session',
  resetPassword: 'no session',
  getInvitation: 'no session',
  acceptInvitation: 'no session',
  getSession: 'any member',
  getAlertSettings: 'any member',
  changeAlertSettings: 'any member',
  chooseOrganization: 'any member',
  listSessions: 'any member',
  endSession: 'any member',
  changePassword: 'any member',
  startTwoFactor: 'any member',
  confirmTwoFactor: 'any member',
  endTwoFactor: 'any member',
  listPasskeys: 'any member',
  startPasskey: 'any member',
  addPasskey: 'any member',
  renamePasskey: 'any member',
  deletePasskey: 'any member',
  joinOrganization: 'any session',
}

const consoleList = consoleRoutes(unserved)
const authList = authRoutes(unserved, unserved)
const OF_KEYS_ONLY = [
  'getMe',
  'getOwnAgent',
  'listOrganizations',
  'createOrganization',
  'getOrganizationById',
  'updateOrganizationById',
  'suspendOrganization',
  'resumeOrganization',
]
const proxyList = describedRoutes().filter(({ id, dialect }) => !OF_KEYS_ONLY.includes(id) && dialect === undefined)

/** Paths that lead nowhere: what matters is who is let as far as finding that out. */
const pathOf = ({ path }: Route) => path.replaceAll(/\{[^}]+\}/g, 'xyz_01kmz3v7n2e0a8tq9fj6hx5c4d')
const browsers = {} as Record<Role, Browser>
const codeOf = async (response: Response) =>
  response.headers.get('content-type')?.includes('problem') ? ((await response.json()) as { code: string }).code : null

beforeAll(async () => {
  const { id } = await anOrganization(app.database)
  for (const role of roleNames) browsers[role] = await signedIn(app, id, role)
})

describe('the tables name every operation', () => {
  const ids = (list: Route[]) => list.map(({ id }) => id).sort()

  test('of the console', () => {
    expect(ids(consoleList)).toEqual(Object.keys(CONSOLE).sort())
  })

  test('of signing in', () => {
    expect(ids(authList)).toEqual(Object.keys(AUTH).sort())
  })
})

describe.each(roleNames)('as %s', (role) => {
  test.each(consoleList.map((route) => [route.id, route] as const))('%s of the console', async (id, route) => {
    const right = CONSOLE[id] as Power | Scope | 'any member'
    const { powers, scopes } = roles[role]
    const response = await browsers[role].call(route.method, `/api/console${pathOf(route)}`)
    const isAllowed = right === 'any member' || [...powers, ...scopes].includes(right)
    expect(response.status === 403).toBe(!isAllowed)
    if (!isAllowed) expect(await codeOf(response)).toBe(isScope(right) ? 'scope_missing' : 'power_missing')
    expect(response.status).not.toBe(401)
    expect(response.status).toBeLessThan(500)
  })

  test.each(proxyList.map((route) => [route.id, route] as const))('%s through the proxy', async (_, route) => {
    const { access } = route
    const scope = access.type === 'key' ? access.scope : null
    const response = await browsers[role].call(route.method, `/api/proxy${pathOf(route)}`)
    const isAllowed = scope === null || roles[role].scopes.includes(scope)
    expect(response.status === 403).toBe(!isAllowed)
    if (!isAllowed) expect(await codeOf(response)).toBe('scope_missing')
    expect(response.status).not.toBe(401)
    expect(response.status).toBeLessThan(500)
  })
})

describe('without a session', () => {
  const all = [
    ...consoleList.map((route) => ({ route, api: '/api/console' })),
    ...proxyList.map((route) => ({ route, api: '/api/proxy' })),
    ...authList.filter(({ id }) => AUTH[id] !== 'no session').map((route) => ({ route, api: '/api/auth' })),
  ]

  test('every operation except signing in answers 401', async () => {
    const anonymous = { origin: 'http://localhost:3900', 'sec-fetch-site': 'same-origin' }
    for (const { route, api } of all) {
      const response = await app.call(`${api}${pathOf(route)}`, { method: route.method, headers: anonymous })
      expect([route.id, response.status]).toEqual([route.id, 401])
    }
  })

  test('paths that do not exist answer 401 as well', async () => {
    for (const path of ['/api/console/nothing', '/api/proxy/nothing', '/api/console', '/api/proxy'])
      expect((await app.call(path)).status).toBe(401)
  })
})
