import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../test/support/app.ts'
import {
  aBrowser,
  aMember,
  aPerson,
  type Browser,
  codeOf,
  PASSWORD,
  signedIn,
  type TestPerson,
  testPeople,
} from '../../../test/support/console.ts'
import { aKey, anOrganization } from '../../../test/support/makers.ts'
import type { Organization } from '../../accounts/organizations/organizations.ts'
import { acceptInvitation, addMember } from '../../accounts/people/people.ts'

const app = useTestApp()

type Signed = Browser & { person: TestPerson }
type Invitation = { id: string; email: string; role: string; link: string }
type SeenInvitation = Omit<Invitation, 'link'> & { link: string | null }

let organization: Organization
let owner: Signed
let admin: Signed

beforeAll(async () => {
  organization = await anOrganization(app.database, { name: 'Toko Budi' })
  owner = await signedIn(app, organization.id, 'owner')
  admin = await signedIn(app, organization.id, 'admin')
})

let counter = 0
async function invite(by: Browser, role = 'developer', email = `guest-${counter++}@example.com`) {
  const response = await by.call('POST', '/api/console/invitations', { email, role })
  const body = (await response.json()) as Invitation
  return { response, body, token: body.link?.split('/').at(-1) as string }
}

const accept = (token: string, name = 'Budi', password = PASSWORD) =>
  aBrowser(app).call('POST', `/api/auth/invitations/${token}`, { name, password })

describe('an invitation', () => {
  test('turns a new person into a member who can sign in', async () => {
    const { response, body, token } = await invite(owner)
    expect([response.status, body.role, response.headers.get('cache-control')]).toEqual([201, 'developer', 'no-store'])
    const seen = await aBrowser(app).call('GET', `/api/auth/invitations/${token}`)
    expect(await seen.json()).toMatchObject({
      organization: 'Toko Budi',
      email: body.email,
      role: 'developer',
      is_known_person: false,
    })
    expect(await (await accept(token)).json()).toEqual({ email: body.email })
    const guest = aBrowser(app)
    expect((await guest.signIn({ email: body.email, password: PASSWORD })).status).toBe(200)
    expect(await (await guest.call('GET', '/api/auth/session')).json()).toMatchObject({
      person: { name: 'Budi', email: body.email },
      organization: { id: organization.id, role: 'developer' },
    })
  })

  test('works once', async () => {
    const { token } = await invite(owner)
    expect((await accept(token)).status).toBe(200)
    const again = await accept(token)
    expect([again.status, await codeOf(again)]).toEqual([409, 'invitation_invalid'])
  })

  test('lets a known person join when they are signed in, and takes no new password for them', async () => {
    const elsewhere = await anOrganization(app.database)
    const known = await signedIn(app, elsewhere.id, 'viewer')
    const { token } = await invite(owner, 'agent', known.person.email)
    expect(await (await known.call('GET', `/api/auth/invitations/${token}`)).json()).toMatchObject({
      is_known_person: true,
    })
    expect((await accept(token)).status).toBe(409)
    expect((await aBrowser(app).signIn(known.person)).status).toBe(200)
    expect(await (await known.call('POST', `/api/auth/invitations/${token}/join`)).json()).toEqual({
      id: organization.id,
    })
    const session = (await (await known.call('GET', '/api/auth/session')).json()) as { organizations: { id: string }[] }
    expect(session.organizations.map(({ id }) => id)).toEqual([elsewhere.id, organization.id])
  })

  test('brings back a person who was removed and has no organization', async () => {
    const known = await signedIn(app, organization.id, 'agent')
    expect((await owner.call('DELETE', `/api/console/people/${known.person.id}`)).status).toBe(204)
    expect((await known.call('GET', '/api/auth/session')).status).toBe(401)
    const { token } = await invite(owner, 'viewer', known.person.email)
    const again = aBrowser(app)
    expect((await again.signIn(known.person)).status).toBe(200)
    expect((await again.call('POST', `/api/auth/invitations/${token}/join`)).status).toBe(200)
    expect(await (await again.call('GET', '/api/auth/session')).json()).toMatchObject({
      organization: { id: organization.id, role: 'viewer' },
    })
  })

  test('is refused without a session, and from another site', async () => {
    const known = await signedIn(app, (await anOrganization(app.database)).id, 'viewer')
    const { token } = await invite(owner, 'agent', known.person.email)
    const join = `/api/auth/invitations/${token}/join`
    const anonymous = await aBrowser(app).call('POST', join)
    expect([anonymous.status, await codeOf(anonymous)]).toEqual([401, 'session_required'])
    const elsewhere = await known.call('POST', join, undefined, { headers: { origin: 'https://evil.example' } })
    expect([elsewhere.status, await codeOf(elsewhere)]).toEqual([403, 'same_origin_required'])
  })

  test('is refused for another signed-in person', async () => {
    const other = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
    const { token } = await invite(owner)
    const response = await other.call('POST', `/api/auth/invitations/${token}/join`)
    expect([response.status, await codeOf(response)]).toEqual([409, 'invitation_invalid'])
    expect((await accept(token)).status).toBe(200)
  })

  test('ends after a week', async () => {
    const { body, token } = await invite(owner)
    await app.database.run`update invitations set expires_at = now() - interval '1 second' where id = ${body.id}`
    expect((await aBrowser(app).call('GET', `/api/auth/invitations/${token}`)).status).toBe(409)
    expect((await accept(token)).status).toBe(409)
  })

  test('is replaced by a newer one to the same address', async () => {
    const first = await invite(owner, 'developer', 'twice@example.com')
    const second = await invite(owner, 'viewer', 'Twice@example.com')
    expect((await accept(first.token)).status).toBe(409)
    expect((await accept(second.token)).status).toBe(200)
  })

  test('can be withdrawn', async () => {
    const { body, token } = await invite(owner)
    expect((await owner.call('DELETE', `/api/console/invitations/${body.id}`)).status).toBe(204)
    expect((await accept(token)).status).toBe(409)
  })

  test('hashes no password when it has expired or is for a known person', async () => {
    const hashed: string[] = []
    const hashPassword = async (password: string) => {
      hashed.push(password)
      return 'a hash'
    }
    const people = { ...testPeople(app), auth: { hashPassword } }
    const used = await invite(owner)
    await accept(used.token)
    const known = await invite(owner, 'developer', (await aPerson(app)).email)
    for (const { token } of [used, known]) {
      const newPerson = { name: 'Budi', password: PASSWORD }
      const refusal = await acceptInvitation(people, token, { newPerson }).catch((error) => error)
      expect(refusal).toMatchObject({ code: 'invitation_invalid' })
    }
    expect(hashed).toEqual([])
  })

  test('cannot be forged from its id', async () => {
    const { body } = await invite(owner)
    expect((await accept(`${body.id}.${'A'.repeat(43)}`)).status).toBe(409)
    expect((await accept(body.id)).status).toBe(409)
  })

  test('is refused for a person who is a member already', async () => {
    const { response } = await invite(owner, 'viewer', admin.person.email)
    expect(response.status).toBe(409)
  })

  const listed = async (by: Browser) =>
    ((await (await by.call('GET', '/api/console/people')).json()) as { invitations: SeenInvitation[] }).invitations

  test('shows its link only to those who may invite', async () => {
    await invite(owner)
    const viewer = await signedIn(app, organization.id, 'viewer')
    expect((await listed(viewer)).every(({ link }) => link === null)).toBe(true)
    expect((await listed(admin)).every(({ link }) => link?.includes('/console/invitations/inv_'))).toBe(true)
  })

  test('for an owner shows its link to owners alone', async () => {
    const { body } = await invite(owner, 'owner')
    const linkSeenBy = async (by: Browser) => (await listed(by)).find(({ id }) => id === body.id)?.link
    expect([await linkSeenBy(admin), await linkSeenBy(owner)]).toEqual([null, body.link])
  })
})

describe('roles', () => {
  const change = (by: Browser, id: string, role: string) => by.call('PATCH', `/api/console/people/${id}`, { role })

  test('only owners can add owners, in any way', async () => {
    const member = await aMember(app, organization.id, 'viewer')
    for (const response of [
      await change(admin, member.id, 'owner'),
      await change(admin, admin.person.id, 'owner'),
      await change(admin, owner.person.id, 'viewer'),
      (await invite(admin, 'owner')).response,
      await admin.call('DELETE', `/api/console/people/${owner.person.id}`),
    ])
      expect(response.status).toBe(403)
    expect((await change(admin, member.id, 'admin')).status).toBe(200)
    expect((await change(owner, member.id, 'owner')).status).toBe(200)
    expect((await change(owner, member.id, 'viewer')).status).toBe(200)
  })

  test('only owners withdraw or replace the invitation of an owner', async () => {
    const { body, token } = await invite(owner, 'owner')
    for (const response of [
      await admin.call('DELETE', `/api/console/invitations/${body.id}`),
      (await invite(admin, 'viewer', body.email.toUpperCase())).response,
    ])
      expect(response.status).toBe(403)
    expect((await accept(token)).status).toBe(200)

    const [withdrawn, replaced] = [await invite(owner, 'owner'), await invite(owner, 'owner')]
    expect((await owner.call('DELETE', `/api/console/invitations/${withdrawn.body.id}`)).status).toBe(204)
    expect((await invite(owner, 'viewer', replaced.body.email)).response.status).toBe(201)
  })

  test('a removed role affects the next call', async () => {
    const member = await signedIn(app, organization.id, 'developer')
    expect((await member.call('GET', '/api/console/keys')).status).toBe(200)
    expect((await change(owner, member.person.id, 'viewer')).status).toBe(200)
    expect((await member.call('GET', '/api/console/keys')).status).toBe(403)
    expect((await owner.call('DELETE', `/api/console/people/${member.person.id}`)).status).toBe(204)
    expect((await member.call('GET', '/api/console/people')).status).toBe(401)
  })

  test('an inviter cannot use an earlier link to get a role they may no longer assign', async () => {
    const leaving = await signedIn(app, organization.id, 'admin')
    const stepping = await signedIn(app, organization.id, 'owner')
    const links = {
      left: await invite(leaving, 'admin'),
      owned: await invite(stepping, 'owner'),
      kept: await invite(stepping, 'admin'),
      others: await invite(owner, 'owner'),
    }
    expect((await owner.call('DELETE', `/api/console/people/${leaving.person.id}`)).status).toBe(204)
    expect((await change(owner, stepping.person.id, 'admin')).status).toBe(200)
    expect([(await accept(links.left.token)).status, (await accept(links.owned.token)).status]).toEqual([409, 409])
    expect((await accept(links.kept.token)).status).toBe(200)

    const last = await invite(stepping, 'viewer')
    expect((await change(owner, stepping.person.id, 'developer')).status).toBe(200)
    expect([(await accept(last.token)).status, (await accept(links.others.token)).status]).toEqual([409, 200])
  })

  test('the last owner can neither step down nor leave', async () => {
    const lonely = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
    const down = await change(lonely, lonely.person.id, 'admin')
    const gone = await lonely.call('DELETE', `/api/console/people/${lonely.person.id}`)
    expect([await codeOf(down), await codeOf(gone)]).toEqual(['owner_required', 'owner_required'])
  })

  test('of two owners who step down at once, one remains', async () => {
    const { id } = await anOrganization(app.database)
    const [one, other] = [await signedIn(app, id, 'owner'), await signedIn(app, id, 'owner')]
    const answers = await Promise.all([change(one, one.person.id, 'viewer'), change(other, other.person.id, 'viewer')])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})

describe('organizations', () => {
  test('are switched between, and everything is of the one that is chosen', async () => {
    const [one, other] = [await anOrganization(app.database), await anOrganization(app.database)]
    const person = await aPerson(app)
    await addMember(testPeople(app), one.id, person.id, 'owner')
    await addMember(testPeople(app), other.id, person.id, 'viewer')
    await aKey(app.database, one.id, { name: 'Of one' })
    const browser = aBrowser(app)
    await browser.signIn(person)
    const keys = (await (await browser.call('GET', '/api/console/keys')).json()) as { data: { name: string }[] }
    expect(keys.data.map(({ name }) => name)).toEqual(['Of one'])
    expect(await (await browser.call('POST', '/api/auth/organization', { id: other.id })).json()).toEqual({
      id: other.id,
    })
    expect(await (await browser.call('GET', '/api/auth/session')).json()).toMatchObject({
      organization: { id: other.id, role: 'viewer' },
    })
    expect((await browser.call('GET', '/api/console/keys')).status).toBe(403)
  })

  test('of others cannot be chosen', async () => {
    const otherOrganization = await anOrganization(app.database)
    const response = await owner.call('POST', '/api/auth/organization', { id: otherOrganization.id })
    expect([response.status, await codeOf(response)]).toEqual([404, 'organization_not_found'])
    expect(await (await owner.call('GET', '/api/auth/session')).json()).toMatchObject({
      organization: { id: organization.id },
    })
  })

  test('cannot be changed from another one by their ids', async () => {
    const theirs = await anOrganization(app.database)
    const { key } = await aKey(app.database, theirs.id)
    const member = await aMember(app, theirs.id, 'viewer')
    const theirOwner = await signedIn(app, theirs.id, 'owner')
    const { body: invitation } = await invite(theirOwner)
    const answers = [
      await owner.call('POST', `/api/console/keys/${key.id}/revoke`),
      await owner.call('POST', `/api/console/keys/${key.id}/rotate`, {}),
      await owner.call('PATCH', `/api/console/people/${member.id}`, { role: 'admin' }),
      await owner.call('DELETE', `/api/console/people/${member.id}`),
      await owner.call('DELETE', `/api/console/invitations/${invitation.id}`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 409])
    const team = (await (await theirOwner.call('GET', '/api/console/people')).json()) as {
      members: { role: string }[]
      invitations: unknown[]
    }
    expect([team.members.length, team.invitations.length]).toEqual([2, 1])
    expect(team.members.map(({ role }) => role).sort()).toEqual(['owner', 'viewer'])
  })
})

describe('last seen', () => {
  type Team = { members: { id: string; last_seen_at: string }[] }
  const sessionIs = (personId: string, seconds: number) => app.database.run`
    update sessions set updated_at = now() - make_interval(secs => ${seconds}) where person_id = ${personId}`
  const seenSecondsAgo = async (personId: string) => {
    const { members } = (await (await owner.call('GET', '/api/console/people')).json()) as Team
    const at = members.find(({ id }) => id === personId)?.last_seen_at ?? ''
    return Math.round((Date.now() - Date.parse(at)) / 1000)
  }

  test('moves with the calls of a session, for the team and in its own list of sessions', async () => {
    const member = await signedIn(app, organization.id, 'viewer')
    await sessionIs(member.person.id, 3600)
    expect(await seenSecondsAgo(member.person.id)).toBeGreaterThanOrEqual(3600)
    await member.call('GET', '/api/proxy/events')
    expect(await seenSecondsAgo(member.person.id)).toBeLessThan(30)
    const { data } = (await (await member.call('GET', '/api/auth/sessions')).json()) as {
      data: { last_seen_at: string }[]
    }
    expect(Date.now() - Date.parse(data[0]?.last_seen_at ?? '')).toBeLessThan(30_000)
  })

  test('is written at most once a minute', async () => {
    const member = await signedIn(app, organization.id, 'viewer')
    await sessionIs(member.person.id, 50)
    await Promise.all(Array.from({ length: 5 }, () => member.call('GET', '/api/proxy/events')))
    expect(await seenSecondsAgo(member.person.id)).toBeGreaterThanOrEqual(50)
  })
})
