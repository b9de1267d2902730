import { expect, test } from 'bun:test'
import { aText } from '../../../test/support/messaging.ts'
import { useShop } from '../../../test/support/shop.ts'
import { listEvents } from '../../events/events.ts'
import type { OrgId } from '../../kernel/ids.ts'

const shop = useShop()

const PHONE = '+6281234567890'
let files = 0
const aFile = (type: 'image' | 'document', fields: object = {}) => {
  files += 1
  const media = { mime_type: type === 'image' ? 'image/png' : 'application/pdf' }
  return aText({ content: { type, body: 'struk', media }, providerMediaId: `m-${files}`, ...fields })
}

const aTransferShop = () => shop.aShop({ providers: ['manual'] })
const anOrder = async (orgId: OrgId, fields: object = {}) => {
  const json = { billingType: 'bank_transfer', amount: 50_000, customer: { phone: PHONE }, ...fields }
  const order = (await shop.call(orgId, 'POST', '/orders', { json })).json
  await shop.settle()
  return order
}
const proofsOf = async (orgId: OrgId, paymentId: string) =>
  (await shop.call(orgId, 'GET', `/payments/${paymentId}`)).json.proofs
const messagesOf = async (orgId: OrgId) => (await shop.call(orgId, 'GET', `/chats/${PHONE}`)).json.messages.data

test('a picture or document of a customer with an open transfer is attached to it once, and marks nothing as paid', async () => {
  const orgId = await aTransferShop()
  const order = await anOrder(orgId)
  const picture = aFile('image')
  await shop.report(orgId, [picture])
  await shop.report(orgId, [picture])
  await shop.report(orgId, [aFile('document'), aText({ text: 'sudah transfer ya' })])
  await shop.settle()
  const proofs = await proofsOf(orgId, order.payment.id)
  expect(proofs.map(({ mime_type }: { mime_type: string }) => mime_type)).toEqual(['image/png', 'application/pdf'])
  const sent = (await messagesOf(orgId)).find(({ type }: { type: string }) => type === 'image')
  expect(proofs[0]).toMatchObject({ message_id: sent.id, chat_id: sent.chat_id, media_id: sent.media.id })
  const events = await listEvents(shop.database, orgId, { types: ['payment.proof_received'], limit: 10 })
  expect(events.map(({ body }) => JSON.parse(body).data.proofs.length).toSorted()).toEqual([1, 2])
  const shown = (await shop.call(orgId, 'GET', `/orders/${order.id}`)).json
  expect([shown.payment_status, shown.payment.proofs.length]).toEqual(['pending', 2])
})

test('a file is attached to nothing when its sender has no open transfer', async () => {
  const orgId = await aTransferShop()
  const other = await anOrder(orgId, { customer: { phone: '+6281299990001' } })
  const cash = await anOrder(orgId, { billingType: 'cash' })
  await shop.report(orgId, [aFile('image')])
  await shop.settle()
  expect(await proofsOf(orgId, other.payment.id)).toEqual([])
  expect(await proofsOf(orgId, cash.payment.id)).toEqual([])
})

test('staff attach the file of any message, the same one once, and the newest ten are kept', async () => {
  const orgId = await aTransferShop()
  await shop.report(
    orgId,
    Array.from({ length: 11 }, () => aFile('image')),
  )
  await shop.report(orgId, [aText({ text: 'tanpa gambar' })])
  await shop.settle()
  const order = await anOrder(orgId)
  const path = `/payments/${order.payment.id}/proofs`
  const messages = await messagesOf(orgId)
  const pictures = messages.filter(({ type }: { type: string }) => type === 'image')
  for (const { id } of [...pictures, pictures[10]])
    expect((await shop.call(orgId, 'POST', path, { json: { message_id: id } })).status).toBe(200)
  const proofs = await proofsOf(orgId, order.payment.id)
  expect(proofs.map(({ message_id }: { message_id: string }) => message_id)).toEqual(
    pictures.slice(1).map(({ id }: { id: string }) => id),
  )
  const text = messages.find(
    ({ direction, type }: { direction: string; type: string }) => direction === 'inbound' && type === 'text',
  )
  const refused = await shop.call(orgId, 'POST', path, { json: { message_id: text.id } })
  expect([refused.status, refused.json.errors[0].code]).toEqual([409, 'file_missing'])
  const elsewhere = await shop.call(await aTransferShop(), 'POST', path, { json: { message_id: pictures[0].id } })
  expect([elsewhere.status, elsewhere.json.code]).toEqual([404, 'payment_not_found'])
})
