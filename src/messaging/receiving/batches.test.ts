import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { aStatus, aText, type Shop, useMessaging } from '../../../test/support/messaging.ts'
import { batchOf } from '../../../test/support/scripted-channel.ts'
import { until } from '../../../test/support/until.ts'
import { type Id, idTime } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import { createMessagingMetrics } from '../messaging-metrics.ts'
import { applyBatches, type WaitingBatch } from './batches.jobs.ts'

const problems: object[] = []
const warnings: object[] = []
const log = {
  debug() {},
  info() {},
  warn: (fields: object) => void warnings.push(fields),
  error: (fields: object) => void problems.push(fields),
}
const bench = useMessaging({ isOutboxOff: true, log })

const journal = async ({ orgId, numberId }: Shop, reports: readonly unknown[]): Promise<WaitingBatch> => {
  const number = { orgId, id: numberId }
  await bench.database.transaction((tx) => bench.channels.appendToJournal(tx, number, batchOf(reports)))
  const { id } = await bench.database.one<{ id: Id<'jrn'> }>`
    select id from channel_journal where org_id = ${orgId} order by id desc limit 1`
  return { orgId, id, numberId }
}

const apply = (...batches: WaitingBatch[]) => applyIn(bench.database, ...batches)

const applyIn = (database: Database, ...batches: WaitingBatch[]) =>
  applyBatches(
    {
      database,
      clock: bench.clock,
      log,
      directory: bench.messaging.context.directory,
      health: bench.channels.health,
      connectors: bench.channels.connectors,
      wake: () => {},
      onMessageForOrders: async () => {},
      onReceived: async () => {},
      watch: { note: () => {} },
      metrics: createMessagingMetrics(),
    },
    batches,
  )

const threadOf = async ({ orgId }: Shop) => {
  const { json } = await bench.call(orgId, 'GET', '/chats/+6281234567890?limit=100')
  const bodies = json.messages.data.map((message: { body: string }) => message.body).toReversed()
  return { bodies: bodies as string[], chat: json }
}

const second = (offset: number) => new Date(Math.floor(Date.now() / 1000) * 1000 + offset * 1000).toISOString()

describe('the order of a thread', () => {
  test('is the order of arrival within one second, also when the last message is applied first', async () => {
    const shop = await bench.aShop()
    const at = second(-5)
    const first = await journal(shop, [aText({ text: 'a', at }), aText({ text: 'b', at })])
    const later = await journal(shop, [aText({ text: 'c', at }), aText({ text: 'd', at })])
    await apply(later)
    await apply(first)
    const { bodies, chat } = await threadOf(shop)
    expect(bodies).toEqual(['a', 'b', 'c', 'd'])
    expect([chat.last_message.preview, chat.unread_count]).toEqual(['d', 4])
  })

  test('is the order of the reported seconds when they differ', async () => {
    const shop = await bench.aShop()
    const late = await journal(shop, [aText({ text: 'new', at: second(-3) })])
    const early = await journal(shop, [aText({ text: 'old', at: second(-60) })])
    await apply(late)
    await apply(early)
    expect((await threadOf(shop)).bodies).toEqual(['old', 'new'])
  })

  test('puts a late message before newer outbound ones, and the late message counts as activity of the chat', async () => {
    const shop = await bench.aShop()
    await apply(await journal(shop, [aText({ text: 'first', at: second(-7200) })]))
    const ours = await bench.call(shop.orgId, 'POST', '/messages', { json: { to: '+6281234567890', body: 'ours' } })
    await apply(await journal(shop, [aText({ text: 'reported late', at: second(-3600) })]))
    const { bodies, chat } = await threadOf(shop)
    expect(bodies).toEqual(['first', 'reported late', 'ours'])
    expect([chat.last_message.preview, chat.unread_count]).toEqual(['ours', 2])
    expect(chat.last_activity_at >= ours.json.created_at).toBe(true)
    await bench.call(shop.orgId, 'POST', '/messages', { json: { to: '+6281234567890', body: 'ours again' } })
    expect((await threadOf(shop)).bodies.at(-1)).toBe('ours again')
  })

  test('ignores the reported time when the clock of the network is far ahead', async () => {
    const shop = await bench.aShop()
    await apply(await journal(shop, [aText({ text: 'from tomorrow', at: second(86_400) })]))
    await apply(await journal(shop, [aText({ text: 'from now', at: second(0) })]))
    expect((await threadOf(shop)).bodies).toEqual(['from tomorrow', 'from now'])
  })

  test('is the order of arrival when the network reports no time', async () => {
    const shop = await bench.aShop()
    await apply(await journal(shop, [aText({ text: 'before', at: second(-60) })]))
    const timeless = await journal(shop, [aText({ text: 'without a time', at: null })])
    await apply(await journal(shop, [aText({ text: 'after', at: second(60) })]))
    expect(await apply(timeless)).toEqual([{ problems: [] }])
    const { bodies, chat } = await threadOf(shop)
    expect(bodies).toEqual(['before', 'without a time', 'after'])
    const [, stored] = chat.messages.data
    expect(stored.status_history).toEqual([{ status: 'received', at: idTime(timeless.id as Id<'jrn'>).toISOString() }])
  })
})

describe('a group of batches', () => {
  test('applies all other reports when one fails, and names the failed one with its place', async () => {
    const shop = await bench.aShop()
    const before = problems.length
    const batches: WaitingBatch[] = []
    for (let nth = 0; nth < 12; nth++)
      batches.push(
        await journal(shop, [aText({ text: `${nth} a` }), aText({ text: `${nth} b`, ...(nth === 7 && BAD) })]),
      )
    const outcomes = await apply(...batches)
    const listed = outcomes.map((outcome) =>
      typeof outcome === 'string' ? outcome : outcome.problems.map((one) => one.slice(0, 9)),
    )
    expect(listed).toEqual(batches.map((_, nth) => (nth === 7 ? ['report 2:'] : [])))
    expect(problems.length - before).toBe(1)
    const { bodies, chat } = await threadOf(shop)
    const all = batches.flatMap((_, nth) => [`${nth} a`, ...(nth === 7 ? [] : [`${nth} b`])])
    expect([bodies, chat.unread_count]).toEqual([all.slice(-bodies.length), all.length])
  })

  test('reports unreadable items and items of unknown numbers in the log and at the number', async () => {
    const shop = await bench.aShop()
    const stray = aText({ text: 'a secret', phoneNumberId: '999' })
    const batch = await journal(shop, ['no report', aText({ text: 'fine' }), stray])
    const lastError = async () => {
      await bench.channels.health.flush()
      return bench.database.one<{ code: string | null; detail: string | null }>`
        select last_error_code as code, last_error as detail from channel_numbers
        where org_id = ${shop.orgId} and id = ${shop.numberId}`
    }
    const before = warnings.length
    await apply(batch)
    const place = { org_id: shop.orgId, number_id: shop.numberId, journal_id: batch.id }
    expect(warnings.slice(before)).toEqual([
      { ...place, problem: 'report 1: not an object' },
      { ...place, problem: 'report 3: it is about the number 999, which is not connected here' },
    ])
    expect(await lastError()).toEqual({
      code: 'report_not_applied',
      detail: `${batch.id}, report 3: it is about the number 999, which is not connected here`,
    })
    await apply(await journal(shop, [aText({ text: 'another secret', ...BAD })]))
    const { code, detail } = await lastError()
    expect(code).toBe('report_not_applied')
    expect(detail).toEndWith('report 1: it could not be stored')
    expect((await threadOf(shop)).bodies).toEqual(['fine'])
  })

  test('lists the first 100 unreadable reports of a batch and counts the remaining ones', async () => {
    const shop = await bench.aShop()
    const batch = await journal(shop, [...Array.from({ length: 5000 }, () => 'no report'), aText({ text: 'fine' })])
    const before = warnings.length
    const [outcome] = await apply(batch)
    const listed = (outcome as { problems: string[] }).problems
    expect([listed.length, listed[0], listed.at(-1)]).toEqual([101, 'report 1: not an object', 'and 4900 more'])
    expect(warnings.length - before).toBe(101)
    expect(warnings.at(-1)).toMatchObject({ journal_id: batch.id, problem: 'and 4900 more' })
    expect((await threadOf(shop)).bodies).toEqual(['fine'])
  })

  test('stores a message that quotes another of the same group, and records it after its chat', async () => {
    const shop = await bench.aShop()
    const quoted = aText({ text: 'quoted' })
    const batch = await journal(shop, [quoted, aText({ text: 'reply', replyToProviderId: quoted.providerId })])
    await apply(batch)
    const { chat } = await threadOf(shop)
    const [reply, original] = chat.messages.data
    expect(reply.reply_to).toBe(original.id)
    const types = (await bench.eventsOf(shop.orgId)).map(({ type }) => type)
    expect(types).toEqual(['chat.created', 'message.received', 'message.received'])
  })

  test('moves each message once per status, whatever the order and however often statuses arrive', async () => {
    const shop = await bench.aShop()
    const ids: string[] = []
    for (const nth of [1, 2, 3]) {
      const json = { to: `+62812345678${nth}0`, body: 'Hai' }
      ids.push((await bench.call(shop.orgId, 'POST', '/messages', { json })).json.id)
    }
    const statuses = ids.flatMap((id) =>
      ['sent', 'delivered', 'read'].map((status) =>
        aStatus({ clientToken: id, providerId: `wamid.of.${id}`, status, at: second(1) }),
      ),
    )
    const batches = [
      await journal(shop, statuses),
      await journal(shop, statuses.toReversed()),
      await journal(
        shop,
        statuses.map((status) => ({ ...status, clientToken: null })),
      ),
    ]
    await apply(...batches)
    await apply(...batches)
    for (const id of ids) {
      const { json } = await bench.call(shop.orgId, 'GET', `/messages/${id}`)
      expect([json.status, json.provider_id]).toEqual(['read', `wamid.of.${id}`])
      expect(json.status_history.map(({ status }: { status: string }) => status)).toEqual([
        'queued',
        'sent',
        'delivered',
        'read',
      ])
    }
    const moves = (await bench.eventsOf(shop.orgId)).filter(({ type }) => type.startsWith('message.'))
    const movesOf = (id: string) =>
      moves.filter(({ data }) => data.id === id).map(({ type, data }) => [type, data.status])
    for (const id of ids)
      expect(movesOf(id)).toEqual([
        ['message.sent', 'sent'],
        ['message.delivered', 'delivered'],
        ['message.read', 'read'],
      ])
  })

  test('parks a status without a token until one with the token names its message', async () => {
    const shop = await bench.aShop()
    const sent = await bench.call(shop.orgId, 'POST', '/messages', { json: { to: '+6281234567890', body: 'Hai' } })
    const providerId = `wamid.unknown.${sent.json.id}`
    await apply(await journal(shop, [aStatus({ providerId, status: 'read', at: second(2) })]))
    await apply(
      await journal(shop, [aStatus({ providerId, clientToken: sent.json.id, status: 'sent', at: second(1) })]),
    )
    const { json } = await bench.call(shop.orgId, 'GET', `/messages/${sent.json.id}`)
    expect(json.status).toBe('read')
    const { count } = await bench.database.one<{ count: number }>`
      select count(*)::int as count from message_statuses_parked where org_id = ${shop.orgId}`
    expect(count).toBe(0)
  })

  test('results in the same thread in whatever groups and order, and however often, batches are applied', async () => {
    const at = (nth: number) => second(Math.floor(nth / 3) - 60)
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 6, maxLength: 6 }),
        async (order, sizes) => {
          const shop = await bench.aShop()
          const batches: WaitingBatch[] = []
          for (let nth = 0; nth < 6; nth++) {
            const texts = [0, 1].map((place) => aText({ text: `${nth}.${place}`, at: at(nth) }))
            batches.push(await journal(shop, texts))
          }
          const shuffled = order.map((nth) => batches[nth] as WaitingBatch)
          for (let from = 0, turn = 0; from < shuffled.length; from += sizes[turn++] as number)
            await apply(...shuffled.slice(from, from + (sizes[turn] as number)))
          await apply(...batches)
          const { bodies, chat } = await threadOf(shop)
          expect(bodies).toEqual(batches.flatMap((_, nth) => [`${nth}.0`, `${nth}.1`]))
          expect([chat.unread_count, chat.last_message.preview]).toEqual([12, '5.1'])
          const received = (await bench.eventsOf(shop.orgId)).filter(({ type }) => type === 'message.received')
          expect(received.length).toBe(12)
        },
      ),
      { numRuns: 8 },
    )
  })

  test('merges people into one chat when their messages show that they are one person', async () => {
    const shop = await bench.aShop()
    const [phone, userId] = ['6281234567890', 'ID.12345']
    await apply(await journal(shop, [aText({ phone, text: 'by phone' })]))
    await apply(await journal(shop, [aText({ phone: null, userId, text: 'by id' })]))
    await apply(
      await journal(shop, [
        aText({ phone, text: 'again by phone' }),
        aText({ phone: null, userId, text: 'again by id' }),
        aText({ phone, userId, text: 'by both' }),
      ]),
    )
    const { bodies, chat } = await threadOf(shop)
    expect([bodies.length, chat.unread_count]).toEqual([5, 5])
    const merged = (await bench.eventsOf(shop.orgId)).filter(({ type }) => type === 'chat.updated')
    expect(merged.map(({ data }) => [data.id, data.unread_count])).toEqual([[chat.id, 5]])
    expect((await bench.call(shop.orgId, 'GET', '/chats')).json.data.length).toBe(1)
  })
})

const BAD = { at: 'not a time' }

test('a batch is applied in one transaction when known customers write on another number for the first time', async () => {
  const shop = await bench.aShop()
  const other = { ...shop, numberId: await bench.aNumber(shop.orgId) }
  const phones = ['6281300000001', '6281300000002', '6281300000003']
  const texts = phones.map((phone) => aText({ phone, name: null, text: 'Halo' }))
  await apply(await journal(shop, texts))
  const begun: string[] = []
  const counted: Database = {
    ...bench.database,
    transaction: (work, options) => {
      begun.push('transaction')
      return bench.database.transaction(work, options)
    },
  }
  await applyIn(counted, await journal(other, [...texts, aText({ phone: '6281300000009', name: 'Baru' })]))
  const chats = await bench.database.many<{ number_id: string }>`
    select number_id from chats where org_id = ${shop.orgId} and number_id = ${other.numberId}`
  expect([begun, chats.length]).toEqual([['transaction'], 4])
})

test('reports of other chats are applied when the row of one chat is locked elsewhere, and that one follows', async () => {
  const shop = await bench.aShop()
  await apply(await journal(shop, [aText({ text: 'first' })]))
  const { release, held } = await holdChat(shop)
  const locked = await journal(shop, [aText({ text: 'behind the lock' })])
  const free = await journal(shop, [aText({ text: 'free', phone: '6281299990000', name: 'Budi' })])
  expect(await apply(locked, free)).toEqual(['locked', { problems: [] }])
  const { json } = await bench.call(shop.orgId, 'GET', '/chats/+6281299990000')
  expect(json.last_message.preview).toBe('free')
  release()
  await held
  expect(await apply(locked)).toEqual([{ problems: [] }])
  expect((await threadOf(shop)).bodies).toEqual(['first', 'behind the lock'])
})

async function holdChat({ orgId }: Shop) {
  const locked = Promise.withResolvers<void>()
  const ending = Promise.withResolvers<void>()
  const held = bench.database.transaction(async (tx) => {
    await tx.run`select 1 from chats where org_id = ${orgId} for update`
    locked.resolve()
    await ending.promise
  })
  await locked.promise
  return { release: ending.resolve, held }
}

test('reports that were read before the reset of a sandbox deleted them are not applied after it', async () => {
  const [live, shop] = [await bench.aShop(), await bench.aShop()]
  await bench.database.run`update organizations set sandbox_of = ${live.orgId} where id = ${shop.orgId}`
  const batch = await journal(shop, [aText({ text: 'deleted' })])
  let hasEnded = false
  const { applying } = await bench.database.transaction(async (tx) => {
    await tx.run`select from channel_journal where org_id = ${shop.orgId} for update`
    const started = apply(batch).finally(() => {
      hasEnded = true
    })
    const isWaiting = async () =>
      (
        await bench.database.many`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      ).length > 0
    await until(async () => hasEnded || (await isWaiting()))
    await tx.run`delete from channel_journal where org_id = ${shop.orgId}`
    return { applying: started }
  })
  await applying
  expect((await bench.call(shop.orgId, 'GET', '/chats')).json.data).toEqual([])
})
