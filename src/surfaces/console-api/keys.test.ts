import { expect, test } from 'bun:test'
import { useTestApp } from '../../../test/support/app.ts'
import { signedIn } from '../../../test/support/console.ts'
import { anOrganization } from '../../../test/support/makers.ts'

const app = useTestApp()

type CreatedKey = { key: { id: string } }
type Feed = { data: { type: string; actor: unknown; data: { id: string } }[] }

test('the events of a key name the person who created, rotated or revoked it, and the call', async () => {
  const organization = await anOrganization(app.database)
  const owner = await signedIn(app, organization.id, 'owner')
  const newKey = { name: 'ERP', scopes: ['chats:read'] }
  const created = await owner.call('POST', '/api/console/keys', newKey)
  const { key } = (await created.json()) as CreatedKey
  const rotated = await owner.call('POST', `/api/console/keys/${key.id}/rotate`, {})
  const { key: successor } = (await rotated.json()) as CreatedKey
  const revoked = await owner.call('POST', `/api/console/keys/${successor.id}/revoke`)
  const feed = (await (await owner.call('GET', '/api/proxy/events?types=key.*')).json()) as Feed
  const actor = { type: 'user', id: owner.person.id }
  expect(feed.data.map((event) => [event.type, event.data.id, event.actor])).toEqual([
    ['key.revoked', successor.id, actor],
    ['key.rotated', key.id, actor],
    ['key.created', key.id, actor],
  ])
  const calls = await app.database.many<{ request_id: string }>`
    select request_id from events where org_id = ${organization.id} and type like 'key.%' order by sequence`
  expect(calls.map(({ request_id }) => request_id)).toEqual(
    [created, rotated, revoked].map(({ headers }) => headers.get('x-request-id') as string),
  )
})

test('a key is refused at its name when that is blank', async () => {
  const { id } = await anOrganization(app.database)
  const owner = await signedIn(app, id, 'owner')
  const reply = await owner.call('POST', '/api/console/keys', { name: ' \u200b', scopes: ['chats:read'] })
  const { errors } = (await reply.json()) as { errors: object[] }
  expect([reply.status, errors]).toEqual([422, [expect.objectContaining({ pointer: '#/name', code: 'blank' })]])
})
