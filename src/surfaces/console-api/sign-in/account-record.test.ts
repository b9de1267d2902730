import { describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../../test/support/app.ts'
import {
  aBrowser,
  aMember,
  authenticatorCode,
  PASSWORD,
  signedIn,
  type TestPerson,
  testPeople,
} from '../../../../test/support/console.ts'
import { anOrganization } from '../../../../test/support/makers.ts'
import { TEST_SECRET_KEY } from '../../../../test/support/secret-key.ts'
import { until } from '../../../../test/support/until.ts'
import { type AuditEntry, auditContext, listAuditEntries } from '../../../accounts/audit/audit-log.ts'
import { addMember } from '../../../accounts/people/people.ts'
import { recordRefusal } from '../../../accounts/people/person-audit.ts'
import { systemClock } from '../../../kernel/clock.ts'
import type { OrgId } from '../../../kernel/ids.ts'

const links: string[] = []
const app = useTestApp({ sendResetLink: (_, link) => void links.push(link) })

const entriesOf = async (orgId: OrgId): Promise<AuditEntry[]> =>
  (await listAuditEntries(app.database, orgId, { limit: 50 })).toReversed()
const actsOf = async (orgId: OrgId) => (await entriesOf(orgId)).map(({ act }) => act)
const wrong = (person: TestPerson) => ({ ...person, password: 'guessed wrongly' })

async function aShop(): Promise<{ orgId: OrgId; person: TestPerson }> {
  const { id: orgId } = await anOrganization(app.database)
  return { orgId, person: await aMember(app, orgId, 'owner') }
}

test('refused sign-ins that come at once are one entry', async () => {
  const { orgId, person } = await aShop()
  const audit = auditContext({ database: app.database, clock: systemClock, secretKey: TEST_SECRET_KEY })
  const refusal = { person, act: 'signInRefused', requestId: 'req_1', address: '203.0.113.77' }
  await Promise.all(Array.from({ length: 8 }, () => recordRefusal(audit, refusal)))
  await recordRefusal(audit, { ...refusal, address: '203.0.113.78' })
  expect((await entriesOf(orgId)).map(({ address }) => address)).toEqual(['203.0.113.77', '203.0.113.78'])
})

describe('signing in and out', () => {
  test('is entered in every organization that it opens, with who, from where and by which request', async () => {
    const { orgId, person } = await aShop()
    const { id: otherId } = await anOrganization(app.database)
    await addMember(testPeople(app), otherId, person.id, 'viewer')
    const browser = aBrowser(app, '203.0.113.10')
    const answer = await browser.signIn(person)
    await browser.call('POST', '/api/auth/logout')
    for (const id of [orgId, otherId]) {
      expect(await actsOf(id)).toEqual(['signIn', 'signOut'])
      expect((await entriesOf(id))[0]).toMatchObject({
        actor_type: 'user',
        actor_id: person.id,
        actor_name: person.email,
        subject: person.id,
        address: '203.0.113.10',
        request_id: answer.headers.get('x-request-id'),
      })
    }
  })

  test('out without having been in is no act', async () => {
    const { orgId, person } = await aShop()
    const browser = aBrowser(app)
    await browser.signIn(person)
    await browser.call('POST', '/api/auth/logout')
    await browser.call('POST', '/api/auth/logout')
    expect(await actsOf(orgId)).toEqual(['signIn', 'signOut'])
  })

  test('with a second factor is entered once the code was right; a wrong one is entered as refused', async () => {
    const { id: orgId } = await anOrganization(app.database)
    const owner = await signedIn(app, orgId, 'owner')
    const started = await owner.call('POST', '/api/auth/two-factor', { password: PASSWORD })
    const { uri } = (await started.json()) as { uri: string }
    await owner.call('POST', '/api/auth/two-factor/confirm', { code: authenticatorCode(uri) })
    const elsewhere = aBrowser(app)
    await elsewhere.signIn(owner.person)
    const before = ['signIn', 'startTwoFactor', 'confirmTwoFactor']
    expect(await actsOf(orgId)).toEqual(before)
    await elsewhere.call('POST', '/api/auth/second-factor', { code: '000000' })
    await until(async () => (await actsOf(orgId)).length === before.length + 1)
    await elsewhere.call('POST', '/api/auth/second-factor', { code: authenticatorCode(uri) })
    expect(await actsOf(orgId)).toEqual([...before, 'secondFactorRefused', 'signIn'])
    await elsewhere.call('POST', '/api/auth/two-factor/off', { password: PASSWORD })
    expect((await actsOf(orgId)).at(-1)).toBe('endTwoFactor')
  })
})

describe('refused sign-ins', () => {
  test('from one address are one entry, from another one more, and being stopped is a third', async () => {
    const { orgId, person } = await aShop()
    const [here, there] = [aBrowser(app, '203.0.113.20'), aBrowser(app, '203.0.113.21')]
    for (let index = 0; index < 5; index += 1) expect((await here.signIn(wrong(person))).status).toBe(401)
    await until(async () => (await actsOf(orgId)).length > 0)
    for (let index = 0; index < 10; index += 1) expect((await there.signIn(wrong(person))).status).toBe(401)
    expect((await there.signIn(person)).status).toBe(429)
    await until(async () => (await actsOf(orgId)).includes('signInThrottled'))
    const entries = (await entriesOf(orgId)).map(({ act, address }) => [act, address])
    expect(entries.filter(([act]) => act === 'signInRefused')).toEqual([
      ['signInRefused', '203.0.113.20'],
      ['signInRefused', '203.0.113.21'],
    ])
    expect(entries.at(-1)).toEqual(['signInThrottled', '203.0.113.21'])
  })

  test('for an unknown email are not recorded', async () => {
    const count = async () => (await app.database.one<{ count: number }>`select count(*) from audit_entries`).count
    const before = await count()
    const unknown = { email: 'unknown-at-all@example.com', password: PASSWORD }
    expect((await aBrowser(app).signIn(unknown)).status).toBe(401)
    const { orgId, person } = await aShop()
    await aBrowser(app).signIn(wrong(person))
    await until(async () => (await actsOf(orgId)).length === 1)
    expect(Number(await count())).toBe(Number(before) + 1)
  })
})

describe('an account', () => {
  test('whose session is ended or whose password is changed has that entered in every organization of it', async () => {
    const { id: orgId } = await anOrganization(app.database)
    const owner = await signedIn(app, orgId, 'owner')
    const { id: otherId } = await anOrganization(app.database)
    await addMember(testPeople(app), otherId, owner.person.id, 'viewer')
    await aBrowser(app).signIn(owner.person)
    type Sessions = { data: { id: string; is_current: boolean }[] }
    const { data } = (await (await owner.call('GET', '/api/auth/sessions')).json()) as Sessions
    const other = data.find(({ is_current }) => !is_current)?.id
    await owner.call('DELETE', `/api/auth/sessions/${other}`)
    const change = { current_password: PASSWORD, new_password: 'staple battery correct' }
    await owner.call('POST', '/api/auth/password', change)
    expect((await entriesOf(otherId)).map(({ act, subject }) => [act, subject])).toEqual([
      ['signIn', owner.person.id],
      ['endSession', other as string],
      ['changePassword', owner.person.id],
    ])
  })

  test('whose password is set by a link has both the asking and the setting entered, and not the link', async () => {
    const { orgId, person } = await aShop()
    await aBrowser(app).call('POST', '/api/auth/password-reset', { email: person.email })
    await until(async () => (await actsOf(orgId)).length === 1 && links.length > 0)
    const token = links.at(-1)?.split('/').at(-1) as string
    const confirmation = { token, new_password: 'staple battery correct' }
    expect((await aBrowser(app).call('POST', '/api/auth/password-reset/confirm', confirmation)).status).toBe(204)
    const entries = await entriesOf(orgId)
    expect(entries.map(({ act, subject }) => [act, subject])).toEqual([
      ['requestPasswordReset', person.id],
      ['resetPassword', person.id],
    ])
    expect(JSON.stringify(entries)).not.toContain(token)
  })

  test('that joins another organization is entered there, not where it was signed in', async () => {
    const { id: orgId } = await anOrganization(app.database)
    const owner = await signedIn(app, orgId, 'owner')
    const { id: homeId } = await anOrganization(app.database)
    const guest = await signedIn(app, homeId, 'owner')
    const created = await owner.call('POST', '/api/console/invitations', { email: guest.person.email, role: 'viewer' })
    const { link } = (await created.json()) as { link: string }
    await guest.call('POST', `/api/auth/invitations/${link.split('/').at(-1)}/join`)
    expect((await entriesOf(orgId)).at(-1)).toMatchObject({ act: 'joinOrganization', actor_id: guest.person.id })
    expect(await actsOf(homeId)).toEqual(['signIn'])
  })
})
