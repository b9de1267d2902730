import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../../test/support/app.ts'
import {
  aBrowser,
  aMember,
  aPerson,
  authenticatorCode,
  type Browser,
  codeOf,
  ORIGIN,
  PASSWORD,
  signedIn,
  testPeople,
} from '../../../../test/support/console.ts'
import { anOrganization } from '../../../../test/support/makers.ts'
import { startOidcProvider } from '../../../../test/support/oidc-provider.ts'
import { until } from '../../../../test/support/until.ts'
import { invite, type NewInvitation } from '../../../accounts/people/people.ts'
import type { OrgId } from '../../../kernel/ids.ts'

const provider = startOidcProvider()
const { issuer, clientId, clientSecret, person: usual, alter, authorize } = provider
const sso = { issuer, clientId, clientSecret, name: 'Toko Login' }
const app = useTestApp({ sso })
const withWrongSecret = useTestApp({ sso: { ...sso, clientSecret: 'another' } })
const withOtherIssuer = useTestApp({ sso: { ...sso, issuer: issuer.replace('127.0.0.1', 'localhost') } })
const withDeadProvider = useTestApp({ sso: { ...sso, issuer: 'http://127.0.0.1:1' } })
const without = useTestApp()

beforeEach(() => void Object.assign(provider, { person: usual, alter, forges: false, hidesEmail: false }))
afterAll(() => provider.stop())

const start = async (browser: Browser) => {
  const started = await browser.call('POST', '/api/auth/sso/start')
  expect(started.status).toBe(200)
  return ((await started.json()) as { url: string }).url
}
const finish = (browser: Browser, back: object) => browser.call('POST', '/api/auth/sso', back)

/** The browser goes to the provider and comes back. */
async function goThrough(email: string, browser = aBrowser(app), claims: object = {}) {
  provider.person = { sub: `sub-${email}`, email, email_verified: true, name: 'Sari Dewi', ...claims }
  return { browser, answer: await finish(browser, authorize(await start(browser))) }
}
const aGuest = (orgId: OrgId, invited: Omit<NewInvitation, 'inviterId'>) =>
  app.database.transaction((tx) => invite(testPeople(app), tx, orgId, { ...invited, inviterId: null }))
const aTeam = async () => (await anOrganization(app.database)).id
const personOf = async (browser: Browser) => {
  const session = await browser.call('GET', '/api/auth/session')
  return session.status === 200 ? ((await session.json()) as { person: { id: string; name: string } }).person : null
}
const actsOf = async (orgId: OrgId) =>
  (
    await app.database.many<{ act: string }>`select act from audit_entries where org_id = ${orgId} order by sequence`
  ).map(({ act }) => act)
const refusalOf = async (answer: Response, browser: Browser) => [await codeOf(answer), await personOf(browser)]

describe('single sign-on', () => {
  test('signs a member in by the verified email, with state, nonce and PKCE, and the audit log says so', async () => {
    const orgId = await aTeam()
    const member = await aMember(app, orgId, 'admin')
    const browser = aBrowser(app)
    const url = new URL(await start(browser))
    const query = Object.fromEntries(url.searchParams)
    expect(url.href).toStartWith(`${issuer}/authorize?`)
    expect(query).toMatchObject({
      client_id: clientId,
      redirect_uri: `${ORIGIN}/console/sign-in/sso`,
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'openid email profile',
    })
    expect(String(query.state).length + String(query.nonce).length).toBeGreaterThanOrEqual(64)
    for (const email of [member.email, member.email.toUpperCase()]) {
      const { browser, answer } = await goThrough(email)
      expect([answer.status, await answer.json()]).toEqual([200, { has_joined: false }])
      expect((await personOf(browser))?.id).toBe(member.id)
    }
    expect(await actsOf(orgId)).toEqual(['signInWithSso', 'signInWithSso'])
    const stored = await app.database.many`
      select provider_id, account_id, coalesce(access_token, refresh_token, id_token) as token from person_credentials
      where person_id = ${member.id} and provider_id <> 'credential'`
    expect(stored).toEqual([{ provider_id: 'sso', account_id: member.id, token: null }])
  })

  test('takes the email from userinfo when the ID token has none, and only that of the same account', async () => {
    const member = await aMember(app, await aTeam(), 'viewer')
    provider.hidesEmail = true
    const { browser } = await goThrough(member.email)
    expect((await personOf(browser))?.id).toBe(member.id)
    provider.alter = (claims) => ({ ...claims, sub: 'another' })
    const other = await goThrough(member.email)
    expect(await refusalOf(other.answer, other.browser)).toEqual(['sso_refused', null])
  })

  test('replaces the second factor', async () => {
    const owner = await signedIn(app, await aTeam(), 'owner')
    const setup = await owner.call('POST', '/api/auth/two-factor', { password: PASSWORD })
    const { uri } = (await setup.json()) as { uri: string }
    await owner.call('POST', '/api/auth/two-factor/confirm', { code: authenticatorCode(uri) })
    const { browser } = await goThrough(owner.person.email)
    expect((await personOf(browser))?.id).toBe(owner.person.id)
  })

  test('creates the person and accepts the invitations when an open one is for the email', async () => {
    const [orgId, otherId] = [await aTeam(), await aTeam()]
    const invitation = { email: 'invited@example.com', role: 'developer' } as const
    await aGuest(orgId, invitation)
    await aGuest(otherId, invitation)
    const { browser, answer } = await goThrough(invitation.email)
    expect([answer.status, await answer.json()]).toEqual([200, { has_joined: true }])
    expect((await personOf(browser))?.name).toBe('Sari Dewi')
    expect(await actsOf(orgId)).toEqual(['acceptInvitation', 'signInWithSso'])
    const roles = await app.database.many`
      select org_id, role from memberships join people on people.id = person_id where email = ${invitation.email}`
    expect(roles).toEqual([
      { org_id: orgId, role: 'developer' },
      { org_id: otherId, role: 'developer' },
    ])
    expect(await (await goThrough(invitation.email)).answer.json()).toEqual({ has_joined: false })
  })

  test('leaves a further invitation of a member to its link', async () => {
    const member = await aMember(app, await aTeam(), 'viewer')
    const otherId = await aTeam()
    await aGuest(otherId, { email: member.email, role: 'owner' })
    expect(await (await goThrough(member.email)).answer.json()).toEqual({ has_joined: false })
    expect(await actsOf(otherId)).toEqual([])
  })
})

describe('single sign-on refuses', () => {
  test('a person without account or open invitation, and creates no account', async () => {
    const orgId = await aTeam()
    await aGuest(orgId, { email: 'late@example.com', role: 'viewer' })
    await app.database.run`update invitations set expires_at = now() - interval '1 minute' where org_id = ${orgId}`
    const removed = await aPerson(app)
    for (const email of ['unknown@example.com', 'late@example.com', removed.email]) {
      const { browser, answer } = await goThrough(email)
      expect([answer.status, ...(await refusalOf(answer, browser))]).toEqual([403, 'sso_person_unknown', null])
    }
    const created = await app.database.many`
      select 1 from people where email in ('unknown@example.com', 'late@example.com')`
    expect(created).toEqual([])
  })

  test('an email that the provider has not verified, for members also after they signed in before', async () => {
    const orgId = await aTeam()
    const member = await aMember(app, orgId, 'owner')
    expect((await goThrough(member.email)).answer.status).toBe(200)
    for (const email_verified of [false, undefined, 'false']) {
      const { browser, answer } = await goThrough(member.email, aBrowser(app), { email_verified })
      expect([answer.status, ...(await refusalOf(answer, browser))]).toEqual([403, 'sso_email_unverified', null])
    }
    await until(async () => (await actsOf(orgId)).includes('ssoRefused'))
  })

  const seconds = Math.floor(Date.now() / 1000)
  test.each([
    ['of another nonce', { nonce: 'another' }],
    ['without a nonce', { nonce: undefined }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another client', { aud: 'another' }],
    ['that has expired', { exp: seconds - 3600 }],
  ])('an ID token %s', async (_, changes) => {
    const member = await aMember(app, await aTeam(), 'owner')
    provider.alter = (claims) => ({ ...claims, ...changes })
    const { browser, answer } = await goThrough(member.email)
    expect([answer.status, ...(await refusalOf(answer, browser))]).toEqual([401, 'sso_refused', null])
  })

  test('a forged ID token', async () => {
    const member = await aMember(app, await aTeam(), 'owner')
    provider.forges = true
    const { browser, answer } = await goThrough(member.email)
    expect(await refusalOf(answer, browser)).toEqual(['sso_refused', null])
  })

  test('a state that is wrong, of another browser or used before, and a sign-in that was canceled', async () => {
    const member = await aMember(app, await aTeam(), 'owner')
    provider.person = { sub: 'x', email: member.email, email_verified: true }
    const [browser, other] = [aBrowser(app), aBrowser(app)]
    const back = authorize(await start(browser))
    const wrong = await finish(browser, { ...back, state: 'wrong' })
    const ofAnother = await finish(other, back)
    await start(other)
    const ofAnotherStarted = await finish(other, back)
    for (const answer of [wrong, ofAnother, ofAnotherStarted]) expect(await codeOf(answer)).toBe('sso_refused')
    expect((await finish(browser, back)).status).toBe(200)
    expect(await codeOf(await finish(browser, back))).toBe('sso_refused')
    const canceled = aBrowser(app)
    const { state } = authorize(await start(canceled))
    expect(await codeOf(await finish(canceled, { state, error: 'access_denied' }))).toBe('sso_refused')
    expect([await personOf(other), await personOf(canceled)]).toEqual([null, null])
  })

  test('calls from another site', async () => {
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const answers = [
      await aBrowser(app).call('POST', '/api/auth/sso/start', undefined, { headers }),
      await aBrowser(app).call('POST', '/api/auth/sso', { state: 'x', code: 'y' }, { headers }),
    ]
    expect(await Promise.all(answers.map(codeOf))).toEqual(['same_origin_required', 'same_origin_required'])
  })
})

describe('the provider', () => {
  test('is offered by name where it is set up, and nowhere else', async () => {
    const offered = async (at: typeof app) => (await aBrowser(at).call('GET', '/api/auth/sign-in-options')).json()
    expect(await offered(app)).toEqual({ sso: { name: 'Toko Login' } })
    expect(await offered(without)).toEqual({ sso: null })
    expect(await codeOf(await aBrowser(without).call('POST', '/api/auth/sso/start'))).toBe('sso_unavailable')
  })

  test('that is down or calls itself otherwise gives an error, and passwords go on working', async () => {
    for (const at of [withDeadProvider, withOtherIssuer]) {
      const answer = await aBrowser(at).call('POST', '/api/auth/sso/start')
      expect([answer.status, await codeOf(answer)]).toEqual([503, 'sso_unavailable'])
      const { id: orgId } = await anOrganization(at.database)
      expect(await personOf(await signedIn(at, orgId, 'owner'))).not.toBeNull()
    }
  })

  test('that refuses the client secret gives an error', async () => {
    const { browser, answer } = await goThrough('a@example.com', aBrowser(withWrongSecret))
    expect(await refusalOf(answer, browser)).toEqual(['sso_refused', null])
  })
})
