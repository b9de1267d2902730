import { describe, expect, test } from 'bun:test'
import { quietLog } from '../../../test/support/log.ts'
import { aStatus, type Shop, useMessaging } from '../../../test/support/messaging.ts'
import { refuse } from '../../../test/support/scripted-channel.ts'
import { until } from '../../../test/support/until.ts'
import type { OutboundMessage } from '../../channels/channel-connector.ts'
import { MEDIA_BYTES_MAX } from '../../channels/content/media-limits.ts'
import { deleteNumber, pauseNumber, resumeNumber } from '../../channels/numbers/numbers.ts'
import { SEND_JOB } from './acceptance-plan.ts'

const warnings: string[] = []
const notes: object[] = []
const log = {
  ...quietLog,
  info: (fields: object) => void notes.push(fields),
  warn: (_: object, says: string) => void warnings.push(says),
}
const bench = useMessaging({ log })

const send = ({ orgId }: Shop, json: Record<string, unknown>) =>
  bench.call(orgId, 'POST', '/messages', { json: { to: '+6281234567890', ...json } })
const get = async ({ orgId }: Shop, id: string) => (await bench.call(orgId, 'GET', `/messages/${id}`)).json
const isSent = (shop: Shop, id: string) => until(async () => (await get(shop, id)).status === 'sent')

test('a message whose row is not visible yet waits for it and is sent once', async () => {
  const shop = await bench.aShop()
  const { context } = bench.channels
  const pause = { id: shop.numberId, reason: 'credentials_refused' }
  await bench.database.transaction((tx) => pauseNumber(context, tx, shop.orgId, pause))
  const { json } = await send(shop, { body: 'x' })
  const hidden = `${json.id}_hidden`
  await bench.database.run`update messages set id = ${hidden} where org_id = ${shop.orgId} and id = ${json.id}`
  // Longer than what acceptance knew is kept for its run.
  bench.advance(10_000)
  await bench.database.transaction((tx) => resumeNumber(context, tx, shop.orgId, { id: shop.numberId }))
  bench.outbox.wake([shop.orgId])
  await until(async () => {
    const entry = await bench.database.maybeOne<{ payload: { unseen_lease?: number } }>`
      select payload from outbox_entries where id = ${json.id}`
    return entry?.payload.unseen_lease === 1
  })
  await bench.database.run`update messages set id = ${json.id} where org_id = ${shop.orgId} and id = ${hidden}`
  await until(async () => {
    await bench.pass(2_000)
    return (await get(shop, json.id)).status === 'sent'
  })
  expect(bench.channel.taken.filter((message) => message.id === json.id)).toHaveLength(1)
})

test('a message is sent when an earlier lease of it was released before its run began', async () => {
  const shop = await bench.aShop()
  const at = (state: typeof pauseNumber | typeof resumeNumber) =>
    bench.database.transaction((tx) =>
      state(bench.channels.context, tx, shop.orgId, { id: shop.numberId, reason: 'test' }),
    )
  await at(pauseNumber)
  const { json } = await send(shop, { body: 'x' })
  // As it is after its process had handed it over and could not run it any more.
  await bench.database.run`update outbox_entries set lease_number = 1 where org_id = ${shop.orgId} and id = ${json.id}`
  await at(resumeNumber)
  bench.outbox.wake([shop.orgId])
  await isSent(shop, json.id)
})

describe('a message that is refused', () => {
  test('for good fails with the reason', async () => {
    const shop = await bench.aShop()
    bench.channel.answerWith(
      refuse({ class: 'window', code: 'reply_window_closed', providerCode: '131047', traceId: 'A1b2C3' }),
    )
    const { json } = await send(shop, { body: 'x' })
    await until(async () => (await get(shop, json.id)).status === 'failed')
    expect((await get(shop, json.id)).error).toMatchObject({
      code: 'reply_window_closed',
      provider_code: '131047',
      retryable: false,
    })
    expect((await bench.eventsOf(shop.orgId)).at(-1)?.type).toBe('message.failed')
    // The support of the network asks for this trace id.
    expect(notes).toContainEqual(
      expect.objectContaining({ message_id: json.id, provider_code: '131047', trace_id: 'A1b2C3' }),
    )
    bench.channel.answerWith((_, { take }) => take())
  })

  test('for now is retried and sent once', async () => {
    const shop = await bench.aShop()
    let refusals = 2
    bench.channel.answerWith((message, network) => {
      refusals -= 1
      return refusals >= 0 ? refuse({ class: 'retry', code: 'throttled' })(message, network) : network.take()
    })
    const { json } = await send(shop, { body: 'x' })
    await until(async () => {
      await bench.pass(10_000)
      return (await get(shop, json.id)).status === 'sent'
    })
    expect(bench.channel.taken.filter((message) => message.id === json.id).length).toBe(1)
    bench.channel.answerWith((_, { take }) => take())
  })

  test('because of the account stops the number; nothing is lost, and resuming sends it at once', async () => {
    const shop = await bench.aShop()
    bench.channel.answerWith(
      refuse({ class: 'account', scope: 'number', code: 'credentials_refused', detail: 'Token expired.' }),
    )
    const { json } = await send(shop, { body: 'x' })
    const state = async () => (await bench.channels.numbers.open(shop.orgId, shop.numberId))?.row.state
    await until(async () => (await state()) === 'paused')
    const second = await send(shop, { body: 'y' })
    expect([second.status, (await get(shop, json.id)).status]).toEqual([201, 'queued'])
    bench.channel.answerWith((_, { take }) => take())
    await bench.database.transaction((tx) =>
      resumeNumber(bench.channels.context, tx, shop.orgId, { id: shop.numberId }),
    )
    bench.outbox.wake([shop.orgId])
    await isSent(shop, second.json.id)
    expect((await get(shop, json.id)).status).toBe('sent')
  })

  test('because of the account three times fails, so that one message cannot stop its number for ever', async () => {
    const shop = await bench.aShop()
    const state = async () => (await bench.channels.numbers.open(shop.orgId, shop.numberId))?.row.state
    const isPaused = () => until(async () => (await state()) === 'paused')
    const resume = async () => {
      await bench.database.transaction((tx) =>
        resumeNumber(bench.channels.context, tx, shop.orgId, { id: shop.numberId }),
      )
      bench.advance(120_000)
    }
    const isBad = ({ content }: OutboundMessage) => content.type === 'text' && content.body === 'bad'
    const refusal = refuse({ class: 'account', scope: 'number', code: 'policy_violation', providerCode: '131031' })
    bench.channel.answerWith((message, network) => (isBad(message) ? refusal(message, network) : network.take()))
    const { json } = await send(shop, { body: 'bad' })
    for (const _ of [1, 2]) {
      await isPaused()
      expect((await get(shop, json.id)).status).toBe('queued')
      await resume()
    }
    await until(async () => (await get(shop, json.id)).status === 'failed')
    expect((await get(shop, json.id)).error).toMatchObject({ code: 'policy_violation', provider_code: '131031' })
    expect(await state()).toBe('connected')
    const second = await send(shop, { body: 'good' })
    await isSent(shop, second.json.id)
    expect(bench.channel.calls.filter(({ id }) => id === json.id).length).toBe(3)
    bench.channel.answerWith((_, { take }) => take())
  })

  test('because its number was disconnected while it waited fails', async () => {
    const shop = await bench.aShop()
    await bench.database.transaction((tx) =>
      pauseNumber(bench.channels.context, tx, shop.orgId, { id: shop.numberId, reason: 'test' }),
    )
    const { json } = await send(shop, { body: 'x' })
    await bench.database.transaction((tx) =>
      deleteNumber(bench.channels.context, tx, shop.orgId, { id: shop.numberId }),
    )
    bench.outbox.wake([shop.orgId])
    await until(async () => (await get(shop, json.id)).status === 'failed')
    expect((await get(shop, json.id)).error.code).toBe('number_not_connected')
  })
})

test('a message has as long as it takes to upload the largest file at a modest pace', () => {
  const megabytesPerSecond = 0.7
  const job = bench.messaging.jobs.find(({ name }) => name === SEND_JOB)
  expect(job?.timeoutMs).toBeGreaterThan((MEDIA_BYTES_MAX / (megabytesPerSecond * 1_000_000)) * 1000 + 30_000)
})

describe('an id that the network assigns to several messages', () => {
  const TAKEN = 'a message was accepted under an id that another message has'
  const giveTo = (ids: readonly string[], providerId: string) =>
    bench.channel.answerWith((message, { take }) => {
      const answer = take()
      const isMeant = message.content.type === 'text' && ids.includes(message.content.body)
      return isMeant && answer.kind === 'accepted' ? { ...answer, providerId } : answer
    })
  const sendAll = async (shop: Shop, bodies: readonly string[]) => {
    const replies = await Promise.all(bodies.map((body, nth) => send(shop, { to: `+62812345678${nth}0`, body })))
    for (const { json } of replies) await isSent(shop, json.id)
    return Promise.all(replies.map(({ json }) => get(shop, json.id)))
  }

  test('stays with the first of them; all are sent, and the others are logged', async () => {
    const shop = await bench.aShop()
    giveTo(['a', 'b', 'c'], 'wamid.twice')
    const before = warnings.filter((says) => says === TAKEN).length
    const [first] = await sendAll(shop, ['a'])
    const [second, third, other] = await sendAll(shop, ['b', 'c', 'd'])
    expect([first.provider_id, second.provider_id, third.provider_id]).toEqual(['wamid.twice', null, null])
    expect(other.provider_id).not.toBeNull()
    expect(warnings.filter((says) => says === TAKEN).length - before).toBe(2)
    await bench.report(shop, [aStatus({ clientToken: second.id, providerId: 'wamid.twice', status: 'delivered' })])
    const after = await Promise.all([first, second].map(({ id }) => get(shop, id)))
    expect(after.map(({ status, provider_id }) => [status, provider_id])).toEqual([
      ['sent', 'wamid.twice'],
      ['delivered', null],
    ])
    bench.channel.answerWith((_, { take }) => take())
  })

  test('is stored for one of them when they are sent at once', async () => {
    const shop = await bench.aShop()
    const bodies = ['a', 'b', 'c', 'd', 'e', 'f']
    giveTo(bodies, 'wamid.at-once')
    const sent = await sendAll(shop, bodies)
    expect(sent.filter(({ provider_id }) => provider_id === 'wamid.at-once').length).toBe(1)
    expect(sent.filter(({ provider_id }) => provider_id === null).length).toBe(5)
    bench.channel.answerWith((_, { take }) => take())
  })
})
