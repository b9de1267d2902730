import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../test/support/app.ts'
import { type Browser, codeOf, signedIn } from '../../../test/support/console.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import { until } from '../../../test/support/until.ts'

/** The whole way: a person plays the customer in the console, and it comes out in the chats and orders of the API. */
const app = useTestApp()
let staff: Browser
let otherOwner: Browser
let numberId: string

beforeAll(async () => {
  const { id } = await anOrganization(app.database)
  const owner = await signedIn(app, id, 'owner')
  staff = await signedIn(app, id, 'agent')
  otherOwner = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
  const number = {
    connector: 'simulator',
    phone_number_id: '100200300',
    display_phone: '+6281200009000',
    settings: { reply_window: false },
  }
  const created = (await (await owner.call('POST', '/api/console/numbers', number)).json()) as {
    number: { id: string }
  }
  numberId = created.number.id
  await owner.call('POST', '/api/console/payment-accounts', { provider: 'simulator', default_methods: ['qris'] })
})

const read = async <Reply>(path: string, by = staff) => (await (await by.call('GET', path)).json()) as Reply
const play = (what: string, body: object, by = staff) =>
  by.call('POST', `/api/proxy/simulator/${what}`, { number: numberId, from: '0813-1111-2222', ...body })

type Message = { id: string; direction: string; type: string; body: string | null; status: string }
type Chats = { data: { id: string }[] }

async function chatWith(phone: string): Promise<string> {
  const find = () => read<Chats>(`/api/proxy/chats?q=${encodeURIComponent(phone)}`)
  await until(async () => (await find()).data.length > 0)
  return (await find()).data[0]?.id as string
}
const messagesOf = async (chatId: string) =>
  (await read<{ messages: { data: Message[] } }>(`/api/proxy/chats/${chatId}?limit=50`)).messages.data

describe('the customer', () => {
  test('writes, in any spelling of their phone, and the chat has it', async () => {
    const response = await play('messages', { name: 'Dewi', text: 'Halo, ada kopi?' })
    expect([response.status, await response.json()]).toMatchObject([
      201,
      { person: { name: 'Dewi', phone: '6281311112222' } },
    ])
    const chatId = await chatWith('6281311112222')
    await until(async () => (await messagesOf(chatId)).some(({ body }) => body === 'Halo, ada kopi?'))
    const { data } = await read<{ data: { name: string }[] }>(`/api/proxy/simulator/people?number=${numberId}`)
    expect(data.map(({ name }) => name)).toEqual(['Dewi'])
  })

  test('reads and reacts to what they were sent', async () => {
    const chatId = await chatWith('6281311112222')
    const sent = await staff.call('POST', '/api/proxy/messages', { to: chatId, type: 'text', body: 'Ada!' })
    const { id } = (await sent.json()) as Message
    await until(async () => (await messagesOf(chatId)).some((one) => one.id === id && one.status === 'delivered'))
    expect(await (await play('reads', {})).json()).toEqual({ read: [id] })
    await until(async () => (await messagesOf(chatId)).some((one) => one.id === id && one.status === 'read'))
    expect((await play('reactions', { message_id: id, emoji: '👍' })).status).toBe(201)
    await until(async () => (await messagesOf(chatId)).some(({ type }) => type === 'reaction'))
  })

  test('sends a place, a picture and a cart', async () => {
    const phone = { from: '+6281344445555' }
    expect((await play('messages', { ...phone, location: { latitude: -6.2, longitude: 106.8 } })).status).toBe(201)
    const media = { type: 'image', mime_type: 'image/png', base64: 'iVBORw0KGgo=' }
    expect((await play('messages', { ...phone, media, text: 'Ini' })).status).toBe(201)
    const items = [{ product_retailer_id: 'KOPI', quantity: 2, item_price: 18_000 }]
    expect((await play('carts', { ...phone, items })).status).toBe(201)
    const chatId = await chatWith('6281344445555')
    await until(async () => (await messagesOf(chatId)).length >= 3)
    expect((await messagesOf(chatId)).map(({ type }) => type).sort()).toEqual(['image', 'location', 'order'])
  })

  test('edits and deletes what they wrote, and nothing else', async () => {
    const phone = { from: '+6281366667777' }
    const media = { type: 'image', mime_type: 'image/png', base64: 'iVBORw0KGgo=' }
    await play('messages', { ...phone, text: 'Satu' })
    await play('messages', { ...phone, media, text: 'Ini' })
    const chatId = await chatWith('6281366667777')
    await until(async () => (await messagesOf(chatId)).length === 2)
    const [text, image] = (await messagesOf(chatId)).toSorted((one, other) => other.type.localeCompare(one.type))
    const change = (what: string, { id }: Message, body = {}) => play(what, { ...phone, message_id: id, ...body })
    const written = [text, image] as [Message, Message]
    for (const one of written) expect((await change('edits', one, { text: 'Dua' })).status).toBe(201)
    await until(async () => (await messagesOf(chatId)).every(({ body }) => body === 'Dua'))
    expect((await messagesOf(chatId)).map(({ type }) => type).sort()).toEqual(['image', 'text'])
    expect((await change('deletions', written[0])).status).toBe(201)
    await until(async () => (await messagesOf(chatId)).some(({ type }) => type === 'unsupported'))
    expect(await codeOf(await change('edits', written[1], { from: '+6281311112222', text: 'Tiga' }))).toBe(
      'simulation_impossible',
    )
    const sent = await staff.call('POST', '/api/proxy/messages', { to: chatId, type: 'text', body: 'Ada!' })
    expect(await codeOf(await change('deletions', (await sent.json()) as Message))).toBe('simulation_impossible')
  })

  test('cannot be simulated on a number of others, or without the right to do it', async () => {
    const response = await play('messages', { text: 'x' }, otherOwner)
    expect([response.status, await codeOf(response)]).toEqual([404, 'simulator_number_not_found'])
    expect((await otherOwner.call('GET', `/api/proxy/simulator/people?number=${numberId}`)).status).toBe(404)
  })

  test('is refused invalid input at its field', async () => {
    const pointers = async (response: Response) =>
      ((await response.json()) as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer)
    expect(await pointers(await play('messages', { from: '12', text: 'x' }))).toEqual(['#/from'])
    expect(await pointers(await play('messages', {}))).toEqual(['#/text'])
    expect(await codeOf(await play('reactions', { message_id: 'msg_01kmz3v7n2e0a8tq9fj6hx5c4d', emoji: '👍' }))).toBe(
      'simulation_impossible',
    )
  })
})

describe('the payment network', () => {
  type Order = {
    id: string
    payment_status: string
    status: string
    amount_paid: number
    payment: { id: string } | null
  }
  const anOrder = async () => {
    const items = [{ name: 'Kopi', quantity: 1, unit_price: 25_000 }]
    const created = await staff.call('POST', '/api/proxy/orders', { billingType: 'qris', items })
    const order = (await created.json()) as Order
    expect(created.status).toBe(201)
    return order
  }
  const report = (order: Order, scenario: string, by = staff) =>
    by.call('POST', `/api/proxy/simulator/payments/${order.payment?.id}`, { scenario })
  const becomes = (order: Order, isThere: (now: Order) => boolean) =>
    until(async () => isThere(await read<Order>(`/api/proxy/orders/${order.id}`)))

  test('reports that it was paid, and a notice again changes nothing', async () => {
    const order = await anOrder()
    expect(await (await report(order, 'paid')).json()).toEqual({ notices: [{ status: 200 }] })
    await becomes(order, ({ payment_status }) => payment_status === 'paid')
    expect(await (await report(order, 'paid')).json()).toEqual({ notices: [{ status: 200 }] })
    expect((await read<Order>(`/api/proxy/orders/${order.id}`)).amount_paid).toBe(25_000)
  })

  test.each([
    ['short', (now: Order) => now.payment_status === 'partially_paid' && now.amount_paid === 24_000],
    ['excess', (now: Order) => now.payment_status === 'overpaid'],
    ['twice', (now: Order) => now.amount_paid === 50_000],
    ['expired', (now: Order) => now.status === 'expired'],
    ['late', (now: Order) => now.amount_paid === 25_000],
  ] as const)('plays %s', async (scenario, isThere) => {
    const order = await anOrder()
    const { notices } = (await (await report(order, scenario)).json()) as { notices: { status: number }[] }
    expect(notices.every(({ status }) => status === 200)).toBe(true)
    await becomes(order, isThere)
  })

  test('a forged notice is refused and moves nothing', async () => {
    const order = await anOrder()
    expect(await (await report(order, 'forged')).json()).toEqual({ notices: [{ status: 401 }] })
    expect(await read<Order>(`/api/proxy/orders/${order.id}`)).toMatchObject({ payment_status: 'pending' })
  })

  test('cannot be played for a payment of others', async () => {
    const response = await report(await anOrder(), 'paid', otherOwner)
    expect([response.status, await codeOf(response)]).toEqual([404, 'simulated_payment_not_found'])
  })
})
