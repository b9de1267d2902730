import { describe, expect, test } from 'bun:test'
import { aStatus, aText, type Shop, useMessaging } from '../../../test/support/messaging.ts'
import { accept, refuse, takeAndGoSilent } from '../../../test/support/scripted-channel.ts'
import { until, untilLockIsAwaited } from '../../../test/support/until.ts'
import { pauseNumber, resumeNumber } from '../../channels/numbers/numbers.ts'
import type { Tx } from '../../platform/database/database.ts'
import { limitLockWaits } from '../../platform/database/queries.ts'
import { lockMessages } from '../messages/message-states.sql.ts'

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

/** A scheduled message that the network took on its day without ever saying so. */
const leaveInSilence = async (shop: Shop): Promise<string> => {
  bench.channel.answerWith(takeAndGoSilent)
  const id = await schedule(shop, 'nanti', inAMinute())
  bench.advance(60_001)
  await isTaken(id)
  await bench.settle()
  return id
}

const pause = ({ orgId, numberId }: Shop) =>
  bench.database.transaction((tx) => pauseNumber(bench.channels.context, tx, orgId, { id: numberId, reason: 'test' }))
const resume = async ({ orgId, numberId }: Shop) => {
  await bench.database.transaction((tx) => resumeNumber(bench.channels.context, tx, orgId, { id: numberId }))
  bench.outbox.wake([orgId])
}

describe('a scheduled message that was sent is the newest of its chat', () => {
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

  test('when the answer is lost and only a status reports it', async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [aText()])
    const id = await leaveInSilence(shop)
    expect((await chatOf(shop)).last_message.id).not.toBe(id)
    await bench.report(shop, [aStatus({ clientToken: id, status: 'sent' })])
    expect((await chatOf(shop)).last_message.id).toBe(id)
    expect((await bench.eventsOf(shop.orgId)).at(-1)?.data.last_message?.id ?? null).toBe(id)
    bench.channel.answerWith(accept)
  })

  test('and precedes the answer of the customer when that arrived before the status', async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [aText()])
    const id = await leaveInSilence(shop)
    bench.advance(60_000)
    await bench.report(shop, [aText({ text: 'jawaban', at: new Date(bench.clock.now()).toISOString() })])
    await bench.report(shop, [aStatus({ clientToken: id, status: 'delivered' })])
    expect(await bodiesOf(shop)).toEqual(['jawaban', 'nanti', 'Halo'])
    expect((await chatOf(shop)).last_message.preview).toBe('jawaban')
    bench.channel.answerWith(accept)
  })
})

describe('a scheduled message that fails on its day is the newest of its chat, and chat.updated is recorded', () => {
  const lastOf = async (shop: Shop) => {
    const { last_message, last_activity_at } = await chatOf(shop)
    return [last_message.id, last_message.status, Date.parse(last_activity_at) - Date.parse(last_message.at)]
  }
  const hasFailed = ({ orgId }: Shop, id: string) =>
    until(async () => (await bench.call(orgId, 'GET', `/messages/${id}`)).json.status === 'failed')

  test('when the network refuses it', async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [aText()])
    bench.channel.answerWith(refuse({}))
    const id = await schedule(shop, 'nanti', inAMinute())
    expect((await chatOf(shop)).last_message.preview).toBe('Halo')
    bench.advance(60_001)
    await hasFailed(shop, id)
    expect(await lastOf(shop)).toEqual([id, 'failed', 0])
    expect(await bodiesOf(shop)).toEqual(['nanti', 'Halo'])
    const recorded = (await bench.eventsOf(shop.orgId)).slice(-2)
    expect(recorded.map(({ type }) => type)).toEqual(['message.failed', 'chat.updated'])
    expect(recorded[1]?.data.last_message.id).toBe(id)
    bench.channel.answerWith(accept)
  })

  test('when its outcome stayed unknown: at the time of sending, before a later answer', async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [aText()])
    const id = await leaveInSilence(shop)
    bench.advance(60_000)
    await bench.report(shop, [aText({ text: 'jawaban', at: new Date(bench.clock.now()).toISOString() })])
    bench.advance(300_001)
    await hasFailed(shop, id)
    expect(await bodiesOf(shop)).toEqual(['jawaban', 'nanti', 'Halo'])
    await bench.report(shop, [aStatus({ clientToken: id, status: 'sent' })])
    expect(await bodiesOf(shop)).toEqual(['jawaban', 'nanti', 'Halo'])
    expect((await chatOf(shop)).last_message.preview).toBe('jawaban')
    bench.channel.answerWith(accept)
  })

  test('when a status reports the failure first', async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [aText()])
    const id = await leaveInSilence(shop)
    await bench.report(shop, [aStatus({ clientToken: id, status: 'failed' })])
    expect(await lastOf(shop)).toEqual([id, 'failed', 0])
    bench.channel.answerWith(accept)
  })
})

/** Locks the oldest chat of the shop in a transaction that runs `then` once another one waits for it. */
async function holdChat({ orgId }: Shop, then: (tx: Tx) => Promise<number>) {
  const isHeld = Promise.withResolvers<void>()
  const isAwaited = Promise.withResolvers<void>()
  const outcome = bench.database.transaction(async (tx) => {
    await tx.run`select 1 from chats where org_id = ${orgId} order by id limit 1 for update`
    isHeld.resolve()
    await isAwaited.promise
    return then(tx)
  })
  await isHeld.promise
  const goOnOnceAwaited = async () => {
    await untilLockIsAwaited(bench.database)
    isAwaited.resolve()
    return outcome
  }
  return { goOnOnceAwaited }
}

/** Does not wait for other transactions. */
async function lockMessage(tx: Tx, { orgId }: Shop, id: string): Promise<number> {
  await limitLockWaits(tx, 1)
  return (await lockMessages(tx, orgId, [id])).length
}

test('a status of a scheduled message locks the chat before the message, as the lock order demands', async () => {
  const shop = await bench.aShop()
  await bench.report(shop, [aText()])
  const id = await leaveInSilence(shop)
  // As a batch does that stores an inbound message and then learns from a status.
  const other = await holdChat(shop, (tx) => lockMessage(tx, shop, id))
  const reporting = bench.report(shop, [aStatus({ clientToken: id, status: 'sent' })])
  expect(await other.goOnOnceAwaited()).toBe(1)
  await reporting
})

test('messages and statuses lock all of their chats in one order when they arrive together', async () => {
  const shop = await bench.aShop()
  await bench.report(shop, [aText()])
  const id = await leaveInSilence(shop)
  const budi = { name: 'Budi', phone: '6281298765432' }
  await bench.report(shop, [aText(budi)])
  // A transaction that accepts messages to both locks the older chat, then the other.
  const other = await holdChat(shop, (tx) => tx.run`select 1 from chats where org_id = ${shop.orgId} for update nowait`)
  const reporting = bench.report(shop, [aText(budi), aStatus({ clientToken: id, status: 'sent' })])
  expect(await other.goOnOnceAwaited()).toBe(2)
  await reporting
  bench.channel.answerWith(accept)
})

test.each([
  ['the network took', accept],
  ['the network refused', refuse({})],
])('of a scheduled message that %s, the chat is waited for before the message is locked', async (_, answer) => {
  const shop = await bench.aShop()
  await bench.report(shop, [aText()])
  bench.channel.answerWith(answer)
  const id = await schedule(shop, 'nanti', inAMinute())
  // As a merge of two people does: their chats, then the messages in them.
  const other = await holdChat(shop, (tx) => lockMessage(tx, shop, id))
  bench.advance(60_001)
  expect(await other.goOnOnceAwaited()).toBe(1)
  await until(async () => (await chatOf(shop)).last_message.id === id)
  bench.channel.answerWith(accept)
})

test('messages that are scheduled for the same time are sent in the order of acceptance', async () => {
  const shop = await bench.aShop()
  const bodies = ['satu', 'dua', 'tiga', 'empat', 'lima', 'enam']
  const sendAt = inAMinute()
  for (const body of bodies) await schedule(shop, body, sendAt)
  let inFlight = 0
  const together: number[] = []
  bench.channel.answerWith(async (_, { take }) => {
    inFlight += 1
    together.push(inFlight)
    await new Promise(setImmediate)
    inFlight -= 1
    return take()
  })
  bench.advance(60_001)
  await until(async () => (await chatOf(shop)).last_message?.preview === 'enam')
  expect(await bodiesOf(shop)).toEqual(bodies.toReversed())
  expect(Math.max(...together)).toBe(1)
  bench.channel.answerWith(accept)
})

test('overdue messages are sent in the order of their times, and hold up no message that is sent now', async () => {
  const shop = await bench.aShop()
  const times = [3, 1, 2].map((minutes) => new Date(bench.clock.now() + minutes * 60_000))
  const ids: string[] = []
  for (const [nth, sendAt] of times.entries()) ids.push(await schedule(shop, `ke-${nth}`, sendAt))
  await pause(shop)
  bench.advance(4 * 60_000)
  const later = await schedule(shop, 'besok', new Date(bench.clock.now() + 86_400_000))
  const now = await bench.call(shop.orgId, 'POST', '/messages', { json: { to: '+6281234567890', body: 'sekarang' } })
  await resume(shop)
  for (const id of [...ids, now.json.id]) await isTaken(id)
  const taken = bench.channel.taken.map(({ id }) => id).filter((id) => ids.includes(id))
  expect(taken).toEqual([ids[1], ids[2], ids[0]] as string[])
  expect(bench.channel.taken.some(({ id }) => id === later)).toBe(false)
})
