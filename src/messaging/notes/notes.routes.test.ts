import { expect, test } from 'bun:test'
import { aText, type Shop, useMessaging } from '../../../test/support/messaging.ts'
import { mergeContacts } from '../identities/identities.ts'

const bench = useMessaging()

const contactOf = async ({ orgId }: Shop, phone: string) =>
  (await bench.call(orgId, 'GET', `/chats/+${phone}`)).json.contact as { id: `con_${string}`; name: string }
const bodies = async ({ orgId }: Shop, id: string) =>
  (await bench.call(orgId, 'GET', `/contacts/${id}/notes`)).json.data.map((note: { body: string }) => note.body)

test('a note is listed newest first with its author, reported, never sent, and deleted for good', async () => {
  const shop = await bench.aShop()
  await bench.report(shop, [aText({ phone: '6281234500001' })])
  const { id } = await contactOf(shop, '6281234500001')
  const sent = (await bench.call(shop.orgId, 'GET', '/messages')).json.data.length
  const add = (body: string) => bench.call(shop.orgId, 'POST', `/contacts/${id}/notes`, { json: { body } })
  const first = await add('Alergi kacang')
  expect(first).toMatchObject({ status: 201, json: { object: 'note', contact_id: id, author: { type: 'key' } } })
  await add('Antar sore')
  expect(await bodies(shop, id)).toEqual(['Antar sore', 'Alergi kacang'])
  const path = `/contacts/${id}/notes/${first.json.id}`
  expect((await bench.call(shop.orgId, 'DELETE', path)).status).toBe(204)
  expect((await bench.call(shop.orgId, 'DELETE', path)).json.code).toBe('note_not_found')
  expect(await bodies(shop, id)).toEqual(['Antar sore'])
  expect((await bench.call(shop.orgId, 'GET', '/messages')).json.data).toHaveLength(sent)
  const types = (await bench.eventsOf(shop.orgId)).map(({ type }) => type).filter((type) => type.startsWith('note.'))
  expect(types).toEqual(['note.created', 'note.created', 'note.deleted'])
  const other = await bench.aShop()
  expect((await bench.call(other.orgId, 'GET', `/contacts/${id}/notes`)).json.code).toBe('contact_not_found')
})

test('notes of contacts that are merged are those of the one that is kept', async () => {
  const shop = await bench.aShop()
  await bench.report(shop, [aText({ phone: '6281234500002' }), aText({ phone: '6281234500003' })])
  const [one, two] = [await contactOf(shop, '6281234500002'), await contactOf(shop, '6281234500003')]
  for (const { id } of [one, two])
    await bench.call(shop.orgId, 'POST', `/contacts/${id}/notes`, { json: { body: `tentang ${id}` } })
  const ids = [one.id, two.id].toSorted()
  await bench.database.transaction((tx) => mergeContacts(tx, shop.orgId, ids, new Date()))
  expect(await bodies(shop, two.id)).toHaveLength(2)
  expect(await bodies(shop, one.id)).toHaveLength(2)
})

test('a name that the team gave stays when the customer reports another one, until it is removed', async () => {
  const shop = await bench.aShop()
  const report = (name: string) => bench.report(shop, [aText({ phone: '6281234500004', name })])
  await report('Sari')
  const { id } = await contactOf(shop, '6281234500004')
  const renamed = await bench.call(shop.orgId, 'PATCH', `/contacts/${id}`, { json: { name: 'Bu Sari RT 5' } })
  expect(renamed).toMatchObject({ status: 200, json: { id, name: 'Bu Sari RT 5' } })
  await report('Sari Dewi')
  expect((await contactOf(shop, '6281234500004')).name).toBe('Bu Sari RT 5')
  expect((await bench.call(shop.orgId, 'GET', '/contacts?q=RT')).json.data).toHaveLength(1)
  await bench.call(shop.orgId, 'PATCH', `/contacts/${id}`, { json: { name: null } })
  await report('Sari Dewi')
  expect((await contactOf(shop, '6281234500004')).name).toBe('Sari Dewi')
})
