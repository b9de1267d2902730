import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestApp } from '../../test/support/app.ts'
import { aKey, anOrganization } from '../../test/support/makers.ts'
import { until } from '../../test/support/until.ts'
import type { OrgId } from '../kernel/ids.ts'
import { dailyLimitOf } from './broadcast-creation.ts'

const app = useTestApp({ rateLimit: { perSecond: 10_000, burst: 10_000 } })

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Json = any

let shop: OrgId
let token: string
let numberId: string

const call = async (method: string, path: string, json?: unknown) => {
  const sent = json === undefined ? {} : { json }
  const response = await app.call(`/api/public/v1${path}`, { method, token, ...sent })
  return { status: response.status, json: (await response.json()) as Json }
}

let lastPhone = 6_281_355_500_000
const aPhone = () => `+${++lastPhone}`
const template = { name: 'kabar_kopi', language: 'id', variables: ['Sari', 'kopi baru'] }
/** As at Meta: by the account of the number. */
const TEMPLATES = '/v23.0/100200611/message_templates'
const aTemplate = (name: string) =>
  call('POST', TEMPLATES, {
    ...{ name, language: 'id', category: 'MARKETING' },
    components: [{ type: 'BODY', text: 'Halo {{1}}, ada {{2}}.' }],
  })
const optIn = { source: 'checkout form' }

const create = (body: object) => call('POST', '/broadcasts', { name: 'Kopi baru', template, ...body })
const act = (id: string, action: string) => call('POST', `/broadcasts/${id}/${action}`)
const get = async (id: string) => (await call('GET', `/broadcasts/${id}`)).json
const report = async (id: string) => (await call('GET', `/broadcasts/${id}/recipients?limit=100`)).json.data
const ended = (id: string, status = 'completed') => until(async () => (await get(id)).status === status)

/** The messages that a phone has been sent. */
const received = async (phone: string) => {
  const { json } = await call('GET', `/messages?chat=${encodeURIComponent(phone)}`)
  return (json.data ?? []).filter((message: Json) => message.direction === 'outbound')
}

const aCustomer = async (label?: string) => {
  const phone = aPhone()
  await call('POST', '/simulator/messages', { from: phone, name: 'Sari', text: 'Halo' })
  const path = `/chats/${encodeURIComponent(phone)}`
  await until(async () => (await call('GET', path)).status === 200)
  const { json: chat } = await call('GET', path)
  if (label !== undefined) await call('PATCH', path, { labels: [label] })
  return { phone, contactId: chat.contact.id as string }
}

beforeAll(async () => {
  shop = (await anOrganization(app.database)).id
  token = (await aKey(app.database, shop, { rateLimit: 'none' })).token
  const number = await call('POST', '/numbers', {
    ...{ connector: 'simulator', phone_number_id: '100200611', display_phone: '+6281200009611' },
  })
  numberId = number.json.id
  await aTemplate(template.name)
})

describe('a broadcast', () => {
  test('is a draft that counts its audience and cost, and sends nothing before it is started', async () => {
    const [one, two, other] = [aPhone(), aPhone(), aPhone()]
    const recipients = [
      { to: one, opt_in: optIn },
      { to: two, opt_in: optIn },
      { to: `0${one.slice(3)}`, opt_in: optIn },
      { to: other },
      { to: '12345', opt_in: optIn },
    ]
    const { status, json } = await create({ recipients, unit_price: 600 })
    expect(status).toBe(201)
    expect(json).toMatchObject({
      ...{ status: 'draft', counts: { pending: 2, sent: 0, skipped: 3 }, number_id: numberId },
      ...{ skipped: { duplicate: 1, opt_in_missing: 1, phone_impossible: 1 } },
      estimated_cost: { amount: 1200, currency: 'IDR' },
    })
    expect(await received(one)).toEqual([])
    expect((await act(json.id, 'cancel')).json.status).toBe('cancelled')
    expect((await report(json.id)).map(({ status: of }: Json) => of)).toEqual([
      ...['cancelled', 'cancelled', 'skipped', 'skipped', 'skipped'],
    ])
  })

  test('sends everyone one message with their own variables, records their opt-in, and reports each', async () => {
    const phones = [aPhone(), aPhone(), aPhone()]
    const recipients = phones.map((to, index) => ({ to, variables: [`Kak ${index}`, 'INV-9'], opt_in: optIn }))
    const { json } = await create({ recipients, per_minute: 4_800 })
    await act(json.id, 'start')
    await ended(json.id)
    for (const [index, phone] of phones.entries()) {
      const messages = await received(phone)
      expect(messages).toHaveLength(1)
      expect(messages[0]).toMatchObject({ type: 'template', metadata: { broadcast_id: json.id } })
      expect(messages[0].template.components[0].parameters[0].text).toBe(`Kak ${index}`)
    }
    await until(async () => (await get(json.id)).counts.delivered === 3)
    expect((await report(json.id))[0]).toMatchObject({
      ...{ to: phones[0], status: 'sent', opt_in: { source: 'checkout form' } },
      ...{ contact_id: expect.stringMatching(/^con_/), message_id: expect.stringMatching(/^msg_/) },
    })
    // The opt-in is known from then on.
    expect((await create({ recipients: [{ to: phones[0] }] })).json.counts.pending).toBe(1)
  })

  test('goes to everyone with a label who opted in, and to no one who opted out', async () => {
    const [willing, silent, unwilling] = [await aCustomer('setia'), await aCustomer('setia'), await aCustomer('setia')]
    await call('POST', `/contacts/${willing.contactId}/opt-in`, optIn)
    await call('POST', `/contacts/${unwilling.contactId}/opt-in`, { ...optIn, at: '2026-01-01T00:00:00Z' })
    const out = await call('POST', `/contacts/${unwilling.contactId}/opt-out`, { source: 'in the shop' })
    expect(out.json).toMatchObject({ object: 'contact_consent', opted_in: false })
    const { json } = await create({ label: 'setia' })
    expect(json).toMatchObject({ counts: { pending: 1 }, skipped: { opt_in_missing: 1, opted_out: 1 } })
    await act(json.id, 'start')
    await ended(json.id)
    expect(await received(willing.phone)).toHaveLength(1)
    expect([...(await received(silent.phone)), ...(await received(unwilling.phone))]).toEqual([])
  })

  test('leaves out who opts out between the draft and the sending', async () => {
    const customer = await aCustomer()
    await call('POST', `/contacts/${customer.contactId}/opt-in`, optIn)
    const { json } = await create({ recipients: [{ to: customer.phone }] })
    await call('POST', `/contacts/${customer.contactId}/opt-out`, { source: 'by phone' })
    await act(json.id, 'start')
    await ended(json.id)
    expect(await received(customer.phone)).toEqual([])
    expect((await report(json.id))[0]).toMatchObject({ status: 'skipped', reason: 'opted_out' })
  })

  test('is refused when no one would receive it, or its template cannot be sent', async () => {
    const { status, json } = await create({ recipients: [{ to: aPhone() }] })
    expect([status, json.code]).toEqual([409, 'broadcast_empty'])
    expect(json.params).toEqual({ skipped: { opt_in_missing: 1 } })
    expect((await create({ label: 'unused' })).json.code).toBe('broadcast_empty')
    expect((await create({})).status).toBe(422)
    const people = [{ to: aPhone(), opt_in: optIn }]
    const unknown = await create({ recipients: people, template: { ...template, name: 'no_such_template' } })
    expect(unknown.json.code).toBe('template_not_found')
    const short = await create({ recipients: people, template: { ...template, variables: ['Sari'] } })
    expect(short.json.code).toBe('template_parameters_wrong')
    expect((await create({ label: 'x', recipients: [{ to: aPhone() }] })).status).toBe(422)
  })

  test('stops when it is paused, continues where it stopped, and sends no one two messages', async () => {
    const phones = Array.from({ length: 12 }, aPhone)
    const { json } = await create({ recipients: phones.map((to) => ({ to, opt_in: optIn })), per_minute: 60 })
    await act(json.id, 'start')
    await until(async () => (await get(json.id)).counts.sent > 0)
    expect((await act(json.id, 'pause')).json).toMatchObject({ status: 'paused', paused_reason: 'requested' })
    const { sent } = (await get(json.id)).counts
    expect(sent).toBeLessThan(12)
    // Pausing and resuming again and again starts several runs; each person is still taken once.
    for (const action of ['resume', 'pause', 'resume', 'pause']) expect((await act(json.id, action)).status).toBe(200)
    await app.database.run`update broadcasts set per_minute = 4800 where org_id = ${shop} and id = ${json.id}`
    await act(json.id, 'resume')
    await ended(json.id)
    for (const phone of phones) expect(await received(phone)).toHaveLength(1)
    for (const action of ['start', 'pause', 'resume', 'cancel'])
      expect((await act(json.id, action)).json.code).toBe('broadcast_status_conflict')
  })

  test('is paused when its template is refused or its number paused, and everyone stays on the list', async () => {
    await aTemplate('kabar_lama')
    const old = { ...template, name: 'kabar_lama' }
    const refused = await create({ recipients: [{ to: aPhone(), opt_in: optIn }], template: old })
    await call('DELETE', `${TEMPLATES}?name=kabar_lama`)
    await act(refused.json.id, 'start')
    await ended(refused.json.id, 'paused')
    expect(await get(refused.json.id)).toMatchObject({ paused_reason: 'template_not_found', counts: { pending: 1 } })
    const waiting = await create({ recipients: [{ to: aPhone(), opt_in: optIn }] })
    await call('POST', `/numbers/${numberId}/pause`)
    await act(waiting.json.id, 'start')
    await ended(waiting.json.id, 'paused')
    expect((await get(waiting.json.id)).paused_reason).toBe('number_paused')
    await call('POST', `/numbers/${numberId}/resume`)
    await act(waiting.json.id, 'resume')
    await ended(waiting.json.id)
    const types = (await call('GET', '/events?types=broadcast.*&limit=100')).json.data.map(({ type }: Json) => type)
    expect(types).toEqual(expect.arrayContaining(['broadcast.paused', 'broadcast.completed']))
  })

  test('sends no more people than its number may write to in a day', async () => {
    const recipients = [aPhone(), aPhone()].map((to) => ({ to, opt_in: optIn }))
    const used = await app.database.one<{ count: number }>`
      select count(*)::integer as count from broadcast_recipients where org_id = ${shop} and status = 'sent'`
    const { json } = await create({ recipients, daily_max: used.count + 1 })
    await act(json.id, 'start')
    await until(async () => (await get(json.id)).counts.sent === 1)
    expect(await get(json.id)).toMatchObject({ status: 'running', counts: { pending: 1, sent: 1 } })
    expect((await act(json.id, 'cancel')).json.counts).toMatchObject({ pending: 0, sent: 1 })
  })
})

test('the daily limit of a number is the tier that WhatsApp reported last', () => {
  const reported = (detail: string) => ({
    reports: { phone_number_quality_update: { event: 'ONBOARDING', detail, is_trouble: false, at: '' } },
  })
  expect(dailyLimitOf(reported('ONBOARDING, TIER_250'))).toBe(250)
  expect(dailyLimitOf(reported('UPGRADE, TIER_10K'))).toBe(10_000)
  expect(dailyLimitOf(reported('UPGRADE, TIER_UNLIMITED'))).toBeNull()
  expect(dailyLimitOf({ reports: {} })).toBeNull()
})
