import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../test/support/app.ts'
import { aBrowser, aMember, type Browser, PASSWORD, signedIn, type TestPerson } from '../../../test/support/console.ts'
import { aKey, anOrganization } from '../../../test/support/makers.ts'
import type { Organization } from '../../accounts/organizations/organizations.ts'
import { consoleRoutes } from '../../boot/console-routes.ts'
import { describedRoutes } from '../../boot/public-routes.ts'
import { type Route, unserved } from '../../platform/http/define-route.ts'
import { authRoutes } from './sign-in/auth.routes.ts'

const app = useTestApp()
let organization: Organization
let owner: Browser & { person: TestPerson }

beforeAll(async () => {
  organization = await anOrganization(app.database)
  owner = await signedIn(app, organization.id, 'owner')
})

type Entry = {
  sequence: number
  act: string
  subject: string | null
  request_id: string
  actor: { type: string; id: string; name: string }
  changes: { field: string; before: string; after: string }[]
}
type Json = Record<string, unknown>
type Page = { data: Entry[]; has_more: boolean; next_cursor: string | null }
const entries = async (query = '', by: Browser = owner) =>
  (await (await by.call('GET', `/api/console/audit${query}`)).json()) as Page

describe('what people do', () => {
  test('in the console is entered, with who, what, to what and by which request', async () => {
    const created = await owner.call('POST', '/api/console/keys', { name: 'ERP', scopes: ['chats:read'] })
    const { key } = (await created.json()) as { key: { id: string } }
    expect((await entries()).data[0]).toMatchObject({
      act: 'createKey',
      subject: key.id,
      request_id: created.headers.get('x-request-id'),
      actor: { type: 'user', id: owner.person.id, name: owner.person.email },
    })
    const revoked = await owner.call('POST', `/api/console/keys/${key.id}/revoke`)
    expect(revoked.status).toBe(200)
    expect((await entries()).data[0]).toMatchObject({ act: 'revokeKey', subject: key.id })
  })

  test('as an edit is entered with what the fields were before and after, of those that changed', async () => {
    const shop = await anOrganization(app.database)
    const by = await signedIn(app, shop.id, 'owner')
    const changed = async () => (await entries('', by)).data[0]?.changes
    const settings = { name: 'Toko Baru', order_grace_seconds: 60, language: 'id' }
    const { order_grace_seconds: before } = (await (await by.call('GET', '/api/console/settings')).json()) as Json
    expect((await by.call('PATCH', '/api/console/settings', settings)).status).toBe(200)
    expect(await changed()).toEqual([
      { field: 'name', before: shop.name, after: 'Toko Baru' },
      { field: 'order_grace_seconds', before: String(before), after: '60' },
    ])
    const member = await aMember(app, shop.id, 'viewer')
    expect((await by.call('PATCH', `/api/console/people/${member.id}`, { role: 'agent' })).status).toBe(200)
    expect(await changed()).toEqual([{ field: 'role', before: 'viewer', after: 'agent' }])
    const created = await by.call('POST', '/api/console/keys', { name: 'ERP', scopes: ['chats:read'] })
    const { key } = (await created.json()) as { key: { id: string } }
    expect(await changed()).toEqual([])
    const scopes = ['chats:read', 'orders:read']
    expect((await by.call('PATCH', `/api/proxy/api-keys/${key.id}`, { scopes })).status).toBe(200)
    expect(await changed()).toEqual([
      { field: 'scopes', before: JSON.stringify(['chats:read']), after: JSON.stringify(scopes) },
    ])
  })

  test('through the proxy is entered', async () => {
    const url = 'https://hooks.example.com/nexkit'
    const created = await owner.call('POST', '/api/proxy/webhook-endpoints', { url, events: ['*'] })
    const { id } = (await created.json()) as { id: string }
    expect(created.status).toBe(201)
    expect((await entries()).data[0]).toMatchObject({ act: 'createWebhookEndpoint', subject: id })
  })

  test('to their own account is entered', async () => {
    const change = { current_password: PASSWORD, new_password: 'staple battery correct' }
    const member = await signedIn(app, organization.id, 'developer')
    expect((await member.call('POST', '/api/auth/password', change)).status).toBe(204)
    expect((await entries()).data[0]).toMatchObject({ act: 'changePassword', actor: { id: member.person.id } })
  })

  test('and is refused, or only looked at, is not entered', async () => {
    const viewer = await signedIn(app, organization.id, 'viewer')
    const before = (await entries()).data[0]?.sequence
    await viewer.call('POST', '/api/console/keys', { name: 'ERP', scopes: ['chats:read'] })
    await owner.call('POST', '/api/console/keys', { name: 'ERP', scopes: [] })
    await owner.call('POST', '/api/console/keys/key_01kmz3v7n2e0a8tq9fj6hx5c4d/revoke')
    await owner.call('GET', '/api/console/keys')
    await owner.call('POST', '/api/auth/organization', { id: organization.id })
    expect((await entries()).data[0]?.sequence).toBe(before as number)
  })

  test('is entered once when the same request is sent again', async () => {
    const headers = { 'idempotency-key': 'the-same-one' }
    const body = { url: 'https://hooks.example.com/again', events: ['*'] }
    const before = (await entries()).data[0]?.sequence as number
    await owner.call('POST', '/api/proxy/webhook-endpoints', body, { headers })
    const again = await owner.call('POST', '/api/proxy/webhook-endpoints', body, { headers })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await entries()).data[0]?.sequence).toBe(before + 1)
  })

  test('when they accept an invitation is entered as theirs', async () => {
    const created = await owner.call('POST', '/api/console/invitations', { email: 'new@example.com', role: 'viewer' })
    const { link } = (await created.json()) as { link: string }
    const joining = { name: 'Budi', password: PASSWORD }
    await aBrowser(app).call('POST', `/api/auth/invitations/${link.split('/').at(-1)}`, joining)
    const [entry] = (await entries()).data
    expect(entry).toMatchObject({ act: 'acceptInvitation', actor: { type: 'user', name: 'new@example.com' } })
    expect(entry?.subject).toBe(entry?.actor.id as string)
  })

  test('with a secret in the path leaves the secret out', async () => {
    const known = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
    const created = await owner.call('POST', '/api/console/invitations', { email: known.person.email, role: 'viewer' })
    const { link } = (await created.json()) as { link: string }
    const token = link.split('/').at(-1) as string
    expect((await known.call('POST', `/api/auth/invitations/${token}/join`)).status).toBe(200)
    const stored = JSON.stringify(await app.database.many`select * from audit_entries`)
    expect(stored).toContain('joinOrganization')
    expect(stored).not.toContain(token)
  })
})

describe('what keys do', () => {
  test('with money is entered under the key; what it sends, orders, reads and labels says so itself', async () => {
    await owner.call('POST', '/api/console/payment-accounts', { provider: 'manual', default_methods: ['cash'] })
    const number = {
      connector: 'simulator',
      phone_number_id: '100200377',
      display_phone: '+6281200000377',
      settings: { reply_window: false },
    }
    await owner.call('POST', '/api/console/numbers', number)
    const { key, token } = await aKey(app.database, organization.id)
    const act = async (path: string, json: object = {}, method = 'POST') => {
      const reply = await app.call(`/api/public/v1${path}`, { token, method, json })
      expect([path, reply.ok]).toEqual([path, true])
      return (await reply.json()) as { id: string; chat_id: string }
    }
    const order = await act('/orders', { billingType: 'cash', amount: 25_000 })
    await act(`/orders/${order.id}/mark-paid`, { amount: 25_000 })
    await act(`/orders/${order.id}/refunds`, { amount: 25_000, manual: true, note: 'Tunai' })
    const { chat_id: chatId } = await act('/messages', { to: '+6281200000077', body: 'Halo' })
    await act(`/chats/${chatId}`, { labels: ['vip'] }, 'PATCH')
    await act(`/chats/${chatId}/read`)
    const entered = (await entries(`?actor=${key.id}`)).data.map((entry) => [entry.act, entry.subject])
    expect(entered.toReversed()).toEqual([
      ['markOrderPaid', order.id],
      ['createOrderRefund', order.id],
    ])
  })

  test('to webhook endpoints is entered under the key, and looking is not', async () => {
    const { key, token } = await aKey(app.database, organization.id)
    const body = { url: 'https://hooks.example.com/by-key', events: ['*'] }
    const created = await app.call('/api/public/v1/webhook-endpoints', { token, json: body })
    const { id } = (await created.json()) as { id: string }
    expect((await entries(`?actor=${key.id}`)).data).toMatchObject([
      { act: 'createWebhookEndpoint', subject: id, actor: { type: 'key', id: key.id, name: null } },
    ])
    await app.call('/api/public/v1/webhook-endpoints', { token })
    expect((await entries(`?actor=${key.id}`)).data).toHaveLength(1)
  })

  test('at the same time is entered with the values that each edit replaced', async () => {
    const { key, token } = await aKey(app.database, organization.id)
    const json = { shortcut: 'hours', body: 'first' }
    const { id } = (await (await app.call('/api/public/v1/saved-replies', { token, json })).json()) as { id: string }
    await Promise.all(
      Array.from({ length: 6 }, (_, edit) =>
        app.call(`/api/public/v1/saved-replies/${id}`, { token, method: 'PATCH', json: { body: `edit ${edit}` } }),
      ),
    )
    const edits = (await entries(`?actor=${key.id}&act=updateSavedReply`)).data.toReversed()
    const changes = edits.flatMap((entry) => entry.changes)
    expect(changes.map(({ before }) => before)).toEqual(['first', ...changes.slice(0, 5).map(({ after }) => after)])
  })

  test('to the URL of an endpoint is entered without the token in it', async () => {
    const { key, token } = await aKey(app.database, organization.id)
    const json = { url: 'https://hooks.example.com/in?token=first-secret', events: ['*'] }
    const created = await app.call('/api/public/v1/webhook-endpoints', { token, json })
    const { id } = (await created.json()) as { id: string }
    const changed = { url: 'https://hooks.example.com/in?token=second-secret' }
    await app.call(`/api/public/v1/webhook-endpoints/${id}`, { token, method: 'PATCH', json: changed })
    const [edit] = (await entries(`?actor=${key.id}&act=updateWebhookEndpoint`)).data
    expect(edit?.changes).toMatchObject([{ field: 'url', before: 'https://hooks.example.com/in?token=***' }])
    expect(JSON.stringify(edit)).not.toContain('secret')
  })

  test('to erase what happened is entered under the key', async () => {
    const { key, token } = await aKey(app.database, organization.id)
    const json = { subjects: ['con_01kmz3v7n2e0a8tq9fj6hx5c4d'] }
    expect((await app.call('/api/public/v1/events/erase', { token, json })).status).toBe(200)
    expect((await entries(`?actor=${key.id}`)).data).toMatchObject([{ act: 'eraseEvents', actor: { type: 'key' } }])
  })
})

/** As when the server is killed between an act and its entry: no entry of these acts can be written. */
async function withoutEntriesOf(acts: readonly string[], run: () => Promise<void>): Promise<void> {
  await app.database.script(
    `alter table audit_entries add constraint refused check (act not in (${acts.map((act) => `'${act}'`)})) not valid`,
  )
  try {
    await run()
  } finally {
    await app.database.script('alter table audit_entries drop constraint refused')
  }
}

describe('an act whose entry cannot be written', () => {
  test('is not done, whether a person or a key asked for it', async () => {
    const shop = await anOrganization(app.database)
    const by = await signedIn(app, shop.id, 'owner')
    // The times of the last report of a number and of the last use of a key change without a request.
    const withoutTimes = (name: string, value: unknown) => (/^(health|last_\w+_at)$/.test(name) ? undefined : value)
    const call = async <Reply>(method: string, path: string, body?: unknown) =>
      JSON.parse(await (await by.call(method, path, body)).text(), withoutTimes) as Reply
    const invitation = await call<{ id: string }>('POST', '/api/console/invitations', {
      ...{ email: 'kept@example.com', role: 'viewer' },
    })
    const { key } = await call<{ key: { id: string } }>('POST', '/api/console/keys', {
      ...{ name: 'Kept', scopes: ['chats:read'] },
    })
    const settings = { reply_window: false }
    const number = { connector: 'simulator', phone_number_id: '100200388', display_phone: '+6281200000388', settings }
    const { number: kept } = await call<{ number: { id: string } }>('POST', '/api/console/numbers', number)
    const sent = { to: '+6281200000088', body: 'Halo' }
    const { chat_id: chatId } = await call<{ chat_id: string }>('POST', '/api/proxy/messages', sent)
    const { contact } = await call<{ contact: { id: string } }>('GET', `/api/proxy/chats/${chatId}`)
    const note = await call<{ id: string }>('POST', `/api/proxy/contacts/${contact.id}/notes`, { body: 'VIP' })
    const { data } = await call<{ data: { id: string }[] }>('GET', '/api/proxy/events?types=note.created')
    const member = await aMember(app, shop.id, 'viewer')
    const acts: [act: string, method: string, path: string, body?: object][] = [
      ['deleteContactNote', 'DELETE', `/api/proxy/contacts/${contact.id}/notes/${note.id}`],
      ['eraseEventPayload', 'DELETE', `/api/proxy/events/${data[0]?.id}/payload`],
      ['changeRole', 'PATCH', `/api/console/people/${member.id}`, { role: 'agent' }],
      ['removePerson', 'DELETE', `/api/console/people/${member.id}`],
      ['changeRole', 'PATCH', `/api/proxy/people/${member.id}`, { role: 'agent' }],
      ['removePerson', 'DELETE', `/api/proxy/people/${member.id}`],
      ['invitePerson', 'POST', '/api/console/invitations', { email: 'new-one@example.com', role: 'viewer' }],
      ['withdrawInvitation', 'DELETE', `/api/console/invitations/${invitation.id}`],
      ['withdrawInvitation', 'DELETE', `/api/proxy/invitations/${invitation.id}`],
      ['createKey', 'POST', '/api/console/keys', { name: 'New', scopes: ['chats:read'] }],
      ['rotateKey', 'POST', `/api/console/keys/${key.id}/rotate`, { overlap_seconds: 0 }],
      ['revokeKey', 'POST', `/api/console/keys/${key.id}/revoke`],
      ['createNumber', 'POST', '/api/console/numbers', { ...number, phone_number_id: '100200399' }],
      ['pauseNumber', 'POST', `/api/console/numbers/${kept.id}/pause`],
      ['createPaymentAccount', 'POST', '/api/console/payment-accounts', { provider: 'simulator' }],
    ]
    const look = () =>
      Promise.all(
        [
          ...['keys', 'people', 'numbers', 'payment-accounts'].map((path) => `/api/console/${path}`),
          ...[`/api/proxy/contacts/${contact.id}/notes`, `/api/proxy/events/${data[0]?.id}`],
        ].map((path) => call('GET', path)),
      )
    const before = await look()
    const statuses: [string, number][] = []
    await withoutEntriesOf([...new Set(acts.map(([act]) => act))], async () => {
      for (const [act, method, path, body] of acts) statuses.push([act, (await by.call(method, path, body)).status])
    })
    expect(statuses).toEqual(acts.map(([act]) => [act, 500]))
    expect(await look()).toEqual(before)
  })
})

/** Their effects are not a transaction here: of a library, a network or a simulator, over several transactions, or none at all. */
const WITHOUT_TRANSACTION = [
  ...['addPasskey', 'changePassword', 'chooseOrganization', 'confirmTwoFactor', 'deletePasskey', 'endSession'],
  ...['endTwoFactor', 'renamePasskey', 'startPasskey', 'startTwoFactor', 'agreeToConnection', 'refuseConnection'],
  ...['createTemplate', 'deleteTemplate', 'uploadMedia'],
  ...['advanceSandbox', 'createSandbox', 'resetSandbox'],
  ...['probeNumber', 'probePaymentAccount', 'revealWebhookSecret'],
]

test('every other route that changes something has a transaction, which its entry is part of', () => {
  const routes = [...consoleRoutes(unserved), ...authRoutes(unserved, unserved), ...describedRoutes()]
  const isChange = ({ method, access, dialect, tag }: Route) =>
    method !== 'GET' && access.type !== 'open' && dialect === undefined && tag !== 'Simulator'
  const hasTransaction = ({ idempotency, isChange, isOwnChange }: Route) =>
    isChange || isOwnChange || idempotency === 'transaction' || idempotency === 'own'
  const without = routes.filter((route) => isChange(route) && !hasTransaction(route)).map(({ id }) => id)
  expect(without.sort()).toEqual(WITHOUT_TRANSACTION.sort())
})

describe('the list', () => {
  test('is filtered by act, subject, actor and time, and goes on by cursor', async () => {
    const member = await aMember(app, organization.id, 'viewer')
    for (const role of ['agent', 'developer', 'admin'])
      await owner.call('PATCH', `/api/console/people/${member.id}`, { role })
    expect((await entries(`?act=changeRole&subject=${member.id}`)).data).toHaveLength(3)
    expect((await entries(`?actor=${owner.person.id}&act=changeRole`)).data).toHaveLength(3)
    expect((await entries('?actor=usr_nobody')).data).toEqual([])
    expect((await entries('?since=2100-01-01T00:00:00Z')).data).toEqual([])
    expect((await entries('?until=0000-01-01T00:00:00Z')).data).toEqual([])
    const first = await entries('?act=changeRole&limit=2')
    expect([first.data.length, first.has_more]).toEqual([2, true])
    const second = await entries(`?act=changeRole&limit=2&cursor=${first.next_cursor}`)
    expect([second.data.length, second.has_more]).toEqual([1, false])
    expect((await owner.call('GET', `/api/console/audit?cursor=${first.next_cursor}`)).status).toBe(400)
  })

  test('is of one organization only, and says whether it is whole', async () => {
    const other = await signedIn(app, (await anOrganization(app.database)).id, 'admin')
    expect((await entries('', other)).data.map(({ act }) => act)).toEqual(['signIn'])
    const verified = await owner.call('GET', '/api/console/audit/verification')
    expect(await verified.json()).toMatchObject({ is_intact: true, broken_at: null, is_partial: false })
    await app.database.run`update audit_entries set act = 'nothing' where org_id = ${organization.id} and sequence = 1`
    const broken = await owner.call('GET', '/api/console/audit/verification')
    expect(await broken.json()).toMatchObject({ is_intact: false, broken_at: 1 })
  })
})
