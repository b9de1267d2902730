import { expect, test } from 'bun:test'
import { aStatus, aText, useMessaging } from '../../test/support/messaging.ts'
import { refuse } from '../../test/support/scripted-channel.ts'
import { until } from '../../test/support/until.ts'
import { pauseNumber } from '../channels/numbers/numbers.ts'
import { createMetrics } from '../platform/telemetry/metrics.ts'

const bench = useMessaging()

const read = async () => {
  const metrics = createMetrics()
  for (const metric of [...bench.channels.metrics(), ...bench.messaging.metrics()]) metrics.add(metric)
  const text = await metrics.text()
  return (name: string) => Number(new RegExp(`^nexkit_${name} (\\S+)$`, 'm').exec(text)?.[1])
}

test('messages are counted when they are accepted, sent, refused for good, and when their outcome is unknown', async () => {
  const { orgId } = await bench.aShop()
  const before = await read()
  bench.channel.answerWith((message, network) => {
    const body = 'body' in message.content ? message.content.body : ''
    if (body === 'unknown') return { kind: 'unknown', detail: 'no answer' }
    if (body === 'window') return refuse({ class: 'window', code: 'reply_window_closed' })(message, network)
    return body === 'permanent' ? refuse({})(message, network) : network.take()
  })
  for (const [nth, body] of ['sent', 'sent', 'unknown', 'window', 'permanent'].entries())
    await bench.call(orgId, 'POST', '/messages', { json: { to: `+628123456700${nth}`, body } })
  await bench.settle()
  bench.channel.answerWith((_, { take }) => take())
  const after = await read()
  const grown = (name: string) => after(`messages_${name}_total`) - before(`messages_${name}_total`)
  const names = ['accepted', 'sent', 'unknown', 'failed_window', 'failed_permanent', 'failed_account', 'returned']
  expect(names.map((name) => [name, grown(name)])).toEqual([
    ['accepted', 5],
    ['sent', 2],
    ['unknown', 1],
    ['failed_window', 1],
    ['failed_permanent', 1],
    ['failed_account', 0],
    ['returned', 0],
  ])
})

test('reports are counted as they are applied or not, with the time they waited', async () => {
  const shop = await bench.aShop()
  const before = await read()
  const caller = { phone: '6281234567890', userId: null, parentUserId: null, username: null, name: null }
  const of = { phoneNumberId: null, raw: null, at: new Date(bench.clock.now()).toISOString() }
  const call = { kind: 'call', from: caller, ...of }
  const preference = { kind: 'preference', person: caller, isStopped: true, ...of }
  await bench.report(shop, [
    aText(),
    aText({ at: 'not a time' }),
    aStatus({ status: 'sent' }),
    'garbage',
    call,
    preference,
  ])
  await until(async () => (await read())('reports_lag_seconds_count') > before('reports_lag_seconds_count'))
  const after = await read()
  const grown = (name: string) => after(name) - before(name)
  const kinds = ['message', 'status', 'call', 'preference']
  expect(kinds.map((kind) => grown(`reports_applied_${kind}_total`))).toEqual([1, 1, 1, 1])
  expect(grown('reports_not_applied_total')).toBe(2)
  expect(grown('reports_lag_seconds_count')).toBe(1)
})

test('numbers are counted by their state, and hooks by their answer', async () => {
  const { orgId, numberId } = await bench.aShop()
  const before = await read()
  await bench.database.transaction((tx) =>
    pauseNumber(bench.channels.context, tx, orgId, { id: numberId, reason: 'credentials_refused' }),
  )
  const hook = { method: 'POST', query: new URLSearchParams(), headers: new Headers(), body: Buffer.from('[]') }
  await bench.channels.receiveHook('scripted', numberId, hook)
  await bench.channels.receiveHook('scripted', 'num_unknown', hook)
  const { connected } = await bench.database.one<{ connected: number }>`
    select count(*)::int as connected from channel_numbers where state = 'connected'`
  await until(async () => {
    const metric = await read()
    return metric('numbers_paused') === 1 && metric('numbers_connected') === connected
  })
  const after = await read()
  expect(after('channel_hooks_taken_total') - before('channel_hooks_taken_total')).toBe(1)
  expect(after('channel_hooks_refused_total') - before('channel_hooks_refused_total')).toBe(1)
})
