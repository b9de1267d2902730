import { beforeAll, expect, test } from 'bun:test'
import { useTestApp } from '../../test/support/app.ts'
import { aKey, anOrganization } from '../../test/support/makers.ts'
import { tablesWith as findTables } from '../../test/support/traces.ts'
import { until } from '../../test/support/until.ts'
import type { OrgId } from '../kernel/ids.ts'

/** A customer who is erased leaves no phone, name or identity behind, in any column of any table of the organization. */
const app = useTestApp({ rateLimit: { perSecond: 10_000, burst: 10_000 } })

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Json = any

let shop: OrgId
let token: string

const call = async (method: string, path: string, json?: unknown, as = token) => {
  const sent = json === undefined ? {} : { json }
  const response = await app.call(`/api/public/v1${path}`, { method, token: as, ...sent })
  return { status: response.status, json: (await response.json()) as Json }
}

const PHONE = '+6281377788899'
const NAME = 'Dewi "Ayu" Lestari'
const OTHER = '+6281377788800'

const tablesWith = (needle: string) => findTables(app.database, shop, needle)

async function talk(phone: string, name: string) {
  await call('POST', '/simulator/messages', { from: phone, name, text: `Halo, saya ${name}, nomor ${phone}` })
  await until(async () => (await call('GET', `/chats/${encodeURIComponent(phone)}`)).status === 200)
  await call('POST', '/messages', { to: phone, body: `Halo ${name}` })
  const order = await call('POST', '/orders', {
    ...{
      billingType: 'virtual_account',
      payment: { method: 'virtual_account', bank: 'bni' },
      reference: `INV ${phone}`,
    },
    items: [{ name: `Kaos ${name}`, quantity: 1, unit_price: 25_000 }],
    customer: { name, phone },
    note: `Antar ke ${name}`,
    delivery: { address: { name, phone, line: `Jalan Melati 5, rumah ${name}` } },
    metadata: { nama: name },
  })
  expect(order.status).toBe(201)
  const paid = await call('POST', `/simulator/payments/${order.json.payment.id}`, { scenario: 'paid' })
  expect(paid.status).toBe(200)
  await until(async () => (await call('GET', `/orders/${order.json.id}`)).json.payment_status === 'paid')
  const optIn = { source: `Formulir ${name}` }
  const recipients = [{ to: phone, opt_in: optIn, variables: [] }]
  const template = { name: 'order_ready', language: 'id' }
  const broadcast = await call('POST', '/broadcasts', { name: 'Kabar', template, recipients })
  expect(broadcast.status).toBe(201)
  const { json: chat } = await call('GET', `/chats/${encodeURIComponent(phone)}`)
  const note = await call('POST', `/contacts/${chat.contact.id}/notes`, { body: `Titip ke ${name}` })
  expect(note.status).toBe(201)
  return { contactId: chat.contact.id as string, orderId: order.json.id as string, chatId: chat.id as string }
}

beforeAll(async () => {
  shop = (await anOrganization(app.database)).id
  token = (await aKey(app.database, shop, { rateLimit: 'none' })).token
  await call('POST', '/numbers', {
    ...{ connector: 'simulator', phone_number_id: '100200600', display_phone: '+6281200009600' },
    settings: { reply_window: false },
  })
  await call('POST', '/payment-accounts', { provider: 'simulator' })
})

const finish = async (id: string) => {
  let report: Json
  await until(async () => {
    report = (await call('GET', `/erasures/${id}`)).json
    return report.status === 'completed'
  })
  return report
}

test('a customer who is erased is named in no table, the books stay, and others keep everything', async () => {
  const other = await talk(OTHER, 'Rina Wati')
  const { contactId, orderId, chatId } = await talk(PHONE, NAME)
  const before = (await call('GET', `/orders/${orderId}`)).json
  await until(async () => (await tablesWith(PHONE.slice(1))).includes('request_logs'))
  expect(await tablesWith(PHONE.slice(1))).toEqual(
    expect.arrayContaining(['contacts', 'events', 'messages', 'orders', 'request_logs']),
  )
  const asked = await call('POST', `/contacts/${contactId}/erase`, {})
  expect([asked.status, asked.json.status]).toEqual([202, 'running'])
  const report = await finish(asked.json.id)
  expect(report.counts).toMatchObject({ chats: 1, orders: 1, identities: expect.any(Number) })
  expect(report.counts.messages).toBeGreaterThan(1)
  expect(report.counts.events).toBeGreaterThan(3)
  for (const needle of [PHONE.slice(1), `0${PHONE.slice(3)}`, NAME])
    expect([needle, await tablesWith(needle)]).toEqual([needle, []])
  const after = (await call('GET', `/orders/${orderId}`)).json
  expect(after).toMatchObject({
    number: before.number,
    total: before.total,
    payment_status: 'paid',
    created_at: before.created_at,
    customer: { name: null, phone: null },
    note: null,
    metadata: {},
  })
  expect((await call('GET', `/contacts/${contactId}`)).status).toBe(404)
  expect((await call('GET', `/chats/${chatId}`)).status).toBe(404)
  expect((await call('GET', `/orders/${other.orderId}`)).json.customer).toMatchObject({
    name: 'Rina Wati',
    phone: OTHER,
  })
  expect((await call('GET', `/chats/${other.chatId}`)).json.messages.data.length).toBeGreaterThan(1)
  expect(await tablesWith('Rina Wati')).toEqual(
    expect.arrayContaining(['contact_notes', 'contacts', 'events', 'messages', 'orders']),
  )
})

test('the phone of an erased customer starts a new contact with its next message', async () => {
  await call('POST', '/simulator/messages', { from: PHONE, name: 'Dewi', text: 'Halo lagi' })
  await until(async () => (await call('GET', `/chats/${encodeURIComponent(PHONE)}`)).status === 200)
  const { json } = await call('GET', `/chats/${encodeURIComponent(PHONE)}`)
  expect(json.messages.data).toHaveLength(1)
})

test('a file of an erased customer is no proof of a payment any more, also of an order of no one', async () => {
  const phone = '+6281377788855'
  const form = new FormData()
  form.append('file', new File(['%PDF-1.4'], 'struk.pdf', { type: 'application/pdf' }))
  const upload = await app.call('/api/public/v1/media', { method: 'POST', token, body: form })
  const { id } = (await upload.json()) as Json
  await call('POST', '/payment-accounts', { provider: 'manual' })
  const { json: order } = await call('POST', '/orders', { billingType: 'cash', amount: 50_000 })
  const prove = async (from: string) => {
    await call('POST', '/simulator/messages', { from, name: 'Sri', media: { type: 'document', id } })
    const path = `/chats/${encodeURIComponent(from)}`
    await until(async () => (await call('GET', path)).json.messages?.data[0]?.media != null)
    const { json: chat } = await call('GET', path)
    const proof = { message_id: chat.messages.data[0].id }
    expect((await call('POST', `/payments/${order.payment.id}/proofs`, proof)).status).toBe(200)
    return chat
  }
  const [kept, erased] = [await prove('+6281377788844'), await prove(phone)]
  await finish((await call('POST', `/contacts/${erased.contact.id}/erase`, {})).json.id)
  const { proofs } = (await call('GET', `/payments/${order.payment.id}`)).json
  expect(proofs.map(({ chat_id }: Json) => chat_id)).toEqual([kept.id])
})

test('an erasure is asked for once, by keys with the scope, and not found by another organization', async () => {
  const { contactId } = await talk('+6281377788866', 'Joko')
  const poor = (await aKey(app.database, shop, { scopes: ['chats:write', 'events:erase'] })).token
  expect((await call('POST', `/contacts/${contactId}/erase`, {}, poor)).json.code).toBe('scope_missing')
  const elsewhere = (await aKey(app.database, (await anOrganization(app.database)).id)).token
  expect((await call('POST', `/contacts/${contactId}/erase`, {}, elsewhere)).json.code).toBe('contact_not_found')
  const first = await call('POST', `/contacts/${contactId}/erase`, {})
  expect((await call('GET', `/erasures/${first.json.id}`, undefined, elsewhere)).json.code).toBe(
    'contact_erasure_not_found',
  )
  expect((await finish(first.json.id)).status).toBe('completed')
  expect((await call('POST', `/contacts/${contactId}/erase`, {})).json.code).toBe('contact_not_found')
})

test('an erasure leaves an entry in the audit log', async () => {
  const { is_entered } = await app.database.one<{ is_entered: boolean }>`
    select count(*) > 0 as is_entered from audit_entries where org_id = ${shop} and act = 'eraseContact'`
  expect(is_entered).toBe(true)
})
