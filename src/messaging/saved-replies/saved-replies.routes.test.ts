import { expect, test } from 'bun:test'
import { useMessaging } from '../../../test/support/messaging.ts'
import type { OrgId } from '../../kernel/ids.ts'

const bench = useMessaging()

const ready = { shortcut: 'ready', body: 'Halo {{customer_name}}, pesanan {{order_number}} siap.' }
const post = (orgId: OrgId, json: unknown, headers: Record<string, string> = {}) =>
  bench.call(orgId, 'POST', '/saved-replies', { json, headers })

test('a saved reply is created once, found by shortcut or text, edited and deleted', async () => {
  const { orgId } = await bench.aShop()
  const headers = { 'idempotency-key': 'reply-1' }
  const { status, json } = await post(orgId, ready, headers)
  expect([status, json]).toEqual([201, expect.objectContaining({ object: 'saved_reply', ...ready })])
  expect((await post(orgId, ready, headers)).json.id).toBe(json.id)
  await post(orgId, { shortcut: 'alamat', body: 'Jalan Melati 5, 100% mudah' })
  const shortcuts = async (query: string) =>
    (await bench.call(orgId, 'GET', `/saved-replies${query}`)).json.data.map(
      (one: { shortcut: string }) => one.shortcut,
    )
  expect(await shortcuts('')).toEqual(['alamat', 'ready'])
  expect(await shortcuts('?q=SIAP')).toEqual(['ready'])
  expect(await shortcuts('?q=100%25')).toEqual(['alamat'])
  const first = (await bench.call(orgId, 'GET', '/saved-replies?limit=1')).json
  expect(await shortcuts(`?limit=1&cursor=${first.next_cursor}`)).toEqual(['ready'])
  const path = `/saved-replies/${json.id}`
  const edited = await bench.call(orgId, 'PATCH', path, { json: { shortcut: 'siap' } })
  expect(edited.json).toMatchObject({ id: json.id, shortcut: 'siap', body: ready.body })
  expect((await bench.call(orgId, 'GET', path)).json).toEqual(edited.json)
  expect((await bench.call(orgId, 'DELETE', path)).status).toBe(204)
  expect((await bench.call(orgId, 'GET', path)).json.code).toBe('saved_reply_not_found')
})

test('a shortcut belongs to one saved reply of an organization, also when requests race', async () => {
  const { orgId } = await bench.aShop()
  const replies = await Promise.all([post(orgId, ready), post(orgId, ready), post(orgId, ready)])
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  const other = (await post(orgId, { ...ready, shortcut: 'lain' })).json.id
  const taken = await bench.call(orgId, 'PATCH', `/saved-replies/${other}`, { json: { shortcut: 'ready' } })
  expect([taken.status, taken.json.code]).toEqual([409, 'saved_reply_shortcut_taken'])
  expect((await post((await bench.aShop()).orgId, ready)).status).toBe(201)
})

test.each([
  [{ ...ready, shortcut: 'Siap Kirim' }, 422, '#/shortcut'],
  [{ ...ready, body: '  ' }, 422, '#/body'],
  [{ ...ready, body: 'Halo {{nama}}' }, 409, '#/body'],
])('a saved reply that could not be inserted as it is meant is refused: %j', async (body, status, pointer) => {
  const { orgId } = await bench.aShop()
  const refused = await post(orgId, body)
  expect([refused.status, refused.json.errors[0].pointer]).toEqual([status, pointer])
})
