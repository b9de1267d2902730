import { beforeAll, describe, expect, test } from 'bun:test'
import type { Client } from '@modelcontextprotocol/client'
import { countTokens } from 'gpt-tokenizer'
import { type AgentShop, aFreeAgent, anAgentShop } from '../../../test/support/agents.ts'
import { useTestApp } from '../../../test/support/app.ts'
import { structured, textOf, useMcp } from '../../../test/support/mcp.ts'
import { until } from '../../../test/support/until.ts'

/** What a model has to read of a shop whose customers write long, strange and much. */
const app = useTestApp()
const mcp = useMcp(app)
const TOKENS_MAX = 4000
let shop: AgentShop
let client: Client
let chatId: string
let orderId: string
let endpointId: string

const BUSY = '+6281377770000'
const noise = (length: number) =>
  Array.from({ length }, (_, at) => String.fromCharCode(33 + ((at * 7919 + at * at * 31) % 94))).join('')
const TEXTS = ['Halo kak, apakah kopi susu masih ada? '.repeat(100), '🦑🪬𓂀'.repeat(900), noise(4000)]

beforeAll(async () => {
  shop = await anAgentShop(app)
  client = await mcp.connect(await aFreeAgent(app.database, shop.orgId))
  const write = (from: string, text: string) =>
    shop.owner.call('POST', '/api/proxy/simulator/messages', {
      number: shop.numberId,
      from,
      name: `Pelanggan ${'🪬'.repeat(60)}`,
      text,
    })
  for (let nth = 0; nth < 12; nth++) await write(`+62813777700${10 + nth}`, TEXTS[nth % 3] as string)
  for (let nth = 0; nth < 11; nth++) await write(BUSY, TEXTS[nth % 3] as string)
  const endpoint = { url: 'https://hooks.example.com/in', events: ['*'], description: 'd'.repeat(200) }
  endpointId = (await shop.call('POST', '/webhook-endpoints', endpoint)).json.id
  const items = Array.from({ length: 100 }, (_, nth) => ({
    name: `Kopi susu gula aren ukuran besar nomor ${nth}`,
    sku: `KOPI-${nth}`,
    quantity: 1,
    unit_price: 1000,
  }))
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, nth) => [`key-${nth}`, noise(500)]))
  for (let nth = 0; nth < 12; nth++) {
    const order = {
      billingType: 'qris',
      items,
      metadata,
      customer: { name: 'Sari', phone: BUSY },
      note: TEXTS[nth % 3],
    }
    orderId = (await shop.call('POST', '/orders', { ...order, note: order.note?.slice(0, 900) })).json.id
  }
  await until(async () => (await shop.messagesTo(BUSY)).length >= 11)
  chatId = (await shop.call('GET', `/chats/${encodeURIComponent(BUSY)}`)).json.id
})

const call = (name: string, given: Record<string, unknown> = {}) => client.callTool({ name, arguments: given })

describe('an answer', () => {
  test('of every tool that lists takes at most 4,000 tokens by default', async () => {
    const { tools } = await client.listTools()
    const lists = tools.map(({ name }) => name).filter((name) => name.startsWith('list_'))
    for (const name of lists) {
      const result = await call(name, name === 'list_webhook_recoveries' ? { id: endpointId } : {})
      expect([name, result.isError, countTokens(textOf(result)) <= TOKENS_MAX]).toEqual([name, undefined, true])
    }
    expect(lists.length).toBeGreaterThan(8)
  })

  test('with one thing or the largest page takes at most 4,000 tokens as well', async () => {
    const [event] = structured(await call('list_events')).data
    const calls: [string, Record<string, unknown>][] = [
      ['get_chat', { phone: chatId }],
      ['get_chat', { phone: chatId, limit: 100 }],
      ['list_chats', { limit: 100 }],
      ['list_events', { limit: 100 }],
      ['list_orders', { limit: 100 }],
      ['get_order', { id: orderId }],
      ['get_event', { id: event.id }],
      ['explain_event', { id: event.id }],
      ['get_webhook_endpoint', { id: endpointId }],
      ['list_event_types', { name: 'order.paid' }],
      ['get_me', {}],
      ['get_own_agent', {}],
    ]
    for (const [name, given] of calls) {
      const result = await call(name, given)
      expect([name, given, result.isError, countTokens(textOf(result)) <= TOKENS_MAX]).toEqual([
        name,
        given,
        undefined,
        true,
      ])
    }
  })

  test('leaves out what is empty, at every depth', async () => {
    for (const [name, given] of [
      ['get_chat', { phone: chatId }],
      ['get_order', { id: orderId }],
      ['list_orders', {}],
    ] as const) {
      const text = textOf(await call(name, given))
      for (const empty of [':null', ':[]', ':{}', ':""']) expect([name, text.includes(empty)]).toEqual([name, false])
    }
  })

  test('says once that customers wrote the marked text', async () => {
    const text = textOf(await call('list_chats'))
    expect(text.split('was written by a customer').length - 1).toBe(1)
    expect(text.split('⟦').length).toBeGreaterThan(5)
    expect(textOf(await call('list_event_types'))).not.toContain('was written by a customer')
  })

  test('that was cut says so, keeps its marks whole and how to read on', async () => {
    const chat = structured(await call('get_chat', { phone: chatId, limit: 100 }))
    const shown = chat.messages.data.length
    expect(chat.note).toContain(`Call again with limit ${shown}`)
    expect(chat.messages.next_cursor).toBeUndefined()
    for (const { direction, body } of chat.messages.data)
      if (direction === 'inbound') expect([body.at(0), body.at(-1)]).toEqual(['⟦', '⟧'])
    const page = structured(await call('get_chat', { phone: chatId, limit: shown }))
    expect(page.messages.data).toHaveLength(shown)
    const next = { phone: chatId, limit: shown, cursor: page.messages.next_cursor }
    const older = structured(await call('get_chat', next))
    const ids = [...page.messages.data, ...older.messages.data].map(({ id }: { id: string }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

test('the catalogue of events is a list of names, and one of them comes with an example', async () => {
  const all = structured(await call('list_event_types')).data
  expect(all.find(({ name }: { name: string }) => name === 'order.paid')).toEqual({
    name: 'order.paid',
    description: expect.any(String),
  })
  const [one, ...others] = structured(await call('list_event_types', { name: 'order.paid' })).data
  expect([one.example.type, others]).toEqual(['order.paid', []])
})
