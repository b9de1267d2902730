import { describe, expect, test } from 'bun:test'
import { useSdkServer } from '../support/sdk.ts'

const server = useSdkServer()

const someOrders = async (count: number, prefix: string) => {
  const nexkit = server.client()
  for (let index = 0; index < count; index += 1)
    await nexkit.orders.create({ billingType: 'qris', amount: 1000, reference: `${prefix}${index}`, chat_id: null })
}

describe('a list', () => {
  test('goes through all pages without a gap or a repeat while rows are inserted', async () => {
    await someOrders(8, 'walk')
    const { nexkit, seen } = await server.behind(() => 'pass')
    const found: string[] = []
    for await (const order of nexkit.orders.list({ limit: 3 })) {
      found.push(order.reference ?? '')
      if (found.length % 3 === 1) await someOrders(1, `meanwhile${found.length}-`)
    }
    expect(found).toEqual([7, 6, 5, 4, 3, 2, 1, 0].map((index) => `walk${index}`))
    expect(seen.filter(({ url }) => url.includes('cursor=')).length).toBe(2)
  })

  test('asks for no further page than was looked at', async () => {
    const { nexkit, seen } = await server.behind(() => 'pass')
    for await (const order of nexkit.orders.list({ limit: 2 })) if (order) break
    expect(seen.length).toBe(1)
  })

  test('that is awaited is one page, as the API answers it, with a way to the next', async () => {
    const first = await server.client().orders.list({ limit: 4 })
    expect(JSON.parse(JSON.stringify(first))).toMatchObject({
      object: 'list',
      has_more: true,
      url: '/api/public/v1/orders',
    })
    const second = await first.nextPage()
    expect(second?.data.length).toBe(4)
    const again = await server.client().orders.list({ limit: 4, cursor: first.next_cursor as string })
    expect(again.data.map(({ id }) => id)).toEqual(second?.data.map(({ id }) => id) as string[])
  })

  test('has pages up to the last, which has no next', async () => {
    const sizes: number[] = []
    for await (const page of server.client().orders.list({ limit: 100 }).pages()) {
      sizes.push(page.data.length)
      if (!page.has_more) expect(await page.nextPage()).toBeNull()
    }
    expect(sizes.length).toBe(1)
  })

  test('returns the response details of its first page', async () => {
    const { data, response } = await server.client().eventTypes.list().withResponse()
    expect(data.data.map(({ name }) => name)).toContain('order.paid')
    expect(response.requestId).toMatch(/^req_/)
  })

  test('throws what a later page answers', async () => {
    const { nexkit } = await server.behind((nth) =>
      nth === 1 ? 'pass' : (response) => void response.writeHead(418).end(),
    )
    const walk = async () => {
      for await (const order of nexkit.orders.list({ limit: 1 })) expect(order.object).toBe('order')
    }
    await expect(walk()).rejects.toMatchObject({ status: 418 })
  })
})

describe('the messages of a chat', () => {
  test('are a list of their own beside the chat', async () => {
    const nexkit = server.client()
    const chatId = await server.shop.aChat('+6281333330001', 'Halo')
    for (const body of ['a', 'b', 'c', 'd']) await nexkit.messages.send({ to: chatId, body })
    const bodies: (string | null)[] = []
    for await (const message of nexkit.chats.messages('+6281333330001', { limit: 2 })) bodies.push(message.body)
    expect(bodies).toEqual(['d', 'c', 'b', 'a', 'Halo'])
    const chat = await nexkit.chats.get('+6281333330001', { limit: 2 })
    expect(chat.messages.data.length).toBe(2)
  })
})
