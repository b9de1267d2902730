import { expect, test } from 'bun:test'
import { useShop } from '../../../test/support/shop.ts'
import { checkBooks } from './books.ts'

const shop = useShop()

const brokenRules = async () =>
  (await checkBooks(shop.database)).flatMap(({ name, violations }) => (violations.length > 0 ? [name] : []))

test('the books report a message that is never sent when its work is missing in the outbox', async () => {
  const orgId = await shop.aShop()
  const later = { to: '+6281311112222', body: 'Nanti', send_at: new Date(shop.clock.now() + 3_600_000).toISOString() }
  const { status, json: body } = await shop.call(orgId, 'POST', '/messages', { json: later })
  expect(status).toBe(201)
  expect(await brokenRules()).toEqual([])
  await shop.database.run`delete from outbox_entries where org_id = ${orgId} and id = ${String(body.id)}`
  await shop.database.run`delete from outbox_later where org_id = ${orgId} and id = ${String(body.id)}`
  expect(await brokenRules()).toEqual(['queued messages'])
})
