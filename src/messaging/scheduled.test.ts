import { describe, expect, test } from 'bun:test'
import { aStatus, aText, type Shop, useMessaging } from '../../test/support/messaging.ts'
import { accept, takeAndGoSilent } from '../../test/support/scripted-channel.ts'
import { until } from '../../test/support/until.ts'

const bench = useMessaging({ unknownWaitMs: 300_000 })

const schedule = async ({ orgId }: Shop, body: string, sendAt: Date): Promise<string> =>
  (
    await bench.call(orgId, 'POST', '/messages', {
      json: { to: '+6281234567890', body, send_at: sendAt.toISOString() },
    })
  ).json.id
const inAMinute = () => new Date(bench.clock.now() + 60_000)
const chatOf = async ({ orgId }: Shop) => (await bench.call(orgId, 'GET', '/chats/+6281234567890')).json
const bodiesOf = async (shop: Shop) => (await chatOf(shop)).messages.data.map(({ body }: { body: string }) => body)
const isTaken = (id: string) => until(() => bench.channel.taken.some((message) => message.id === id))

describe('a scheduled message that has left is the newest of its chat', () => {
  test('when a status is faster than the answer of the network', async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [aText()])
    const held = Promise.withResolvers<void>()
    bench.channel.answerWith(async (_, { take }) => {
      const answer = take()
      await held.promise
      return answer
    })
    const id = await schedule(shop, 'nanti', inAMinute())
    bench.advance(60_001)
    await isTaken(id)
    await bench.report(shop, [aStatus({ clientToken: id, status: 'delivered' })])
    held.resolve()
    await bench.settle()
    const { last_message, last_activity_at } = await chatOf(shop)
    expect([last_message.id, last_message.status]).toEqual([id, 'delivered'])
    expect(Date.parse(last_activity_at)).toBe(Date.parse(last_message.at))
    bench.channel.answerWith(accept)
  })

  test('when the answer is lost and a status is all that tells', async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [aText()])
    bench.channel.answerWith(takeAndGoSilent)
    const id = await schedule(shop, 'nanti', inAMinute())
    bench.advance(60_001)
    await isTaken(id)
    await bench.settle()
    expect((await chatOf(shop)).last_message.id).not.toBe(id)
    await bench.report(shop, [aStatus({ clientToken: id, status: 'sent' })])
    expect((await chatOf(shop)).last_message.id).toBe(id)
    expect((await bench.eventsOf(shop.orgId)).at(-1)?.data.last_message?.id ?? null).toBe(id)
    bench.channel.answerWith(accept)
  })

  test('and stands before the answer of the customer that came before that status', async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [aText()])
    bench.channel.answerWith(takeAndGoSilent)
    const id = await schedule(shop, 'nanti', inAMinute())
    bench.advance(60_001)
    await isTaken(id)
    await bench.settle()
    bench.advance(60_000)
    await bench.report(shop, [aText({ text: 'jawaban', at: new Date(bench.clock.now()).toISOString() })])
    await bench.report(shop, [aStatus({ clientToken: id, status: 'delivered' })])
    expect(await bodiesOf(shop)).toEqual(['jawaban', 'nanti', 'Halo'])
    expect((await chatOf(shop)).last_message.preview).toBe('jawaban')
    bench.channel.answerWith(accept)
  })
})
