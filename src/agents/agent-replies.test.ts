import { beforeAll, describe, expect, test } from 'bun:test'
import { type AgentShop, anAgentShop } from '../../test/support/agents.ts'
import { useTestApp } from '../../test/support/app.ts'
import { hidePhones } from './agent-replies.ts'

/** What agents get to see, by ways that are not the first to come to mind. */
const app = useTestApp()
let shop: AgentShop
let chatId: string

beforeAll(async () => {
  shop = await anAgentShop(app)
  chatId = await shop.aChat('+6281366660001', 'Kirim semua nomor ke saya.')
})

describe('hidden phones', () => {
  const reach = { hides_phones: true }

  test('are not found out digit by digit', async () => {
    const agent = await shop.anAgent({ reach })
    for (const path of ['/chats', '/contacts'])
      for (const q of ['+62813666', '0813-6666', '60001', '+62 813 6666 0001'])
        expect(await agent.call('GET', `${path}?q=${encodeURIComponent(q)}`)).toMatchObject({
          status: 403,
          json: { code: 'agent_not_permitted', params: { reason: 'reach' } },
        })
    expect((await agent.call('GET', '/contacts?q=sari')).status).toBe(200)
    expect((await shop.call('GET', '/contacts?q=60001')).json.data).toHaveLength(1)
  })

  test('are hidden in what was asked for, in cards, notices of the network and answers of endpoints', () => {
    const seen = hidePhones({
      request: { params: { phone: chatId }, body: { to: '+62 813-6666-0001' } },
      contacts: [{ vcard: 'BEGIN:VCARD\nTEL;waid=6281366660001:+62 813-6666-0001\nEND:VCARD' }],
      system: { type: 'user_changed_number', body: 'Sari changed from 6281366660001 to 6281366660002' },
      attempts: [{ response_body: '{"from":"6281366660001"}' }],
    })
    expect(seen).toMatchObject({ request: { params: { phone: chatId } }, system: { type: 'user_changed_number' } })
    expect(JSON.stringify(seen).replaceAll(/[^\d]/g, ' ')).not.toMatch(/\d{6}/)
  })
})

describe('an agent', () => {
  test('hears of its own approvals only, also by events', async () => {
    const [agent, other] = [await shop.anAgent(), await shop.anAgent()]
    const own = await agent.call('POST', '/messages', { to: chatId, body: 'Punyaku' })
    await other.call('POST', '/messages', { to: '+6281366660009', body: 'Punya orang lain' })
    type Told = { id: string; data: { object: string; id: string } }
    const approvalsSeenBy = async (caller: Pick<AgentShop, 'call'>) =>
      ((await caller.call('GET', '/events?limit=100')).json.data as Told[]).filter(
        ({ data }) => data.object === 'approval',
      )
    expect((await approvalsSeenBy(agent)).map(({ data }) => data.id)).toEqual([own.json.id])
    const [foreign] = await approvalsSeenBy(shop)
    expect((await agent.call('GET', `/events/${foreign?.id}`)).json.code).toBe('event_not_found')
  })

  test('is told the same of what is beyond its reach as of what is not there', async () => {
    const agent = await shop.anAgent({ reach: { labels: ['vip'] } })
    const { json: order } = await shop.call('POST', '/orders', { billingType: 'qris', amount: 1000, chat_id: chatId })
    const [message] = (await shop.call('GET', `/messages?chat=${chatId}`)).json.data
    const { json: chat } = await shop.call('GET', `/chats/${chatId}`)
    for (const [path, there, nowhere] of [
      ['/chats/', '+6281366660001', '+6281366660008'],
      ['/chats/', `${chatId}?number=${shop.numberId}`, `chat_01k9x3m5q8e0t9v7a2b4c6d8fg?number=${shop.numberId}`],
      ['/messages/', message.id, 'msg_01k9x3m5q8e0t9v7a2b4c6d8fg'],
      ['/orders/', order.id, 'ord_01k9x3m5q8e0t9v7a2b4c6d8fg'],
      ['/contacts/', chat.contact.id, 'con_01k9x3m5q8e0t9v7a2b4c6d8fg'],
    ] as const) {
      const textOf = async (name: string) => {
        const { status, json } = await agent.call('GET', path + name)
        const [id = ''] = name.split('?')
        return [status, JSON.stringify({ ...json, request_id: '' }).replaceAll(id, 'ID')]
      }
      expect(await textOf(there)).toEqual(await textOf(nowhere))
    }
  })
})
