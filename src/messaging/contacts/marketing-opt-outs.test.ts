import { describe, expect, test } from 'bun:test'
import { useCloudApi } from '../../../test/support/cloud-api.ts'
import { aStatus, aText, type Shop, useMessaging } from '../../../test/support/messaging.ts'
import { createScriptedChannel, refuse } from '../../../test/support/scripted-channel.ts'
import { untilLockIsAwaited } from '../../../test/support/until.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { limitLockWaits } from '../../platform/database/queries.ts'
import { mergeContacts } from '../identities/identities.ts'
import { lockMessages } from '../messages/message-states.sql.ts'

const template = (name: string, category: string) => ({
  name,
  language: 'id',
  status: 'APPROVED',
  category,
  components: [{ type: 'BODY', text: 'Halo' }],
})
const channel = {
  ...createScriptedChannel({ name: 'promoting' }),
  templates: [template('promo', 'MARKETING'), template('order_paid', 'UTILITY')],
}
const bench = useMessaging({ connectors: [channel] })
const cloudApi = useCloudApi(bench)

const SARI = '+6281234567890'
const aShop = () => bench.aShop({ connector: 'promoting' })
const send = ({ orgId }: Shop, name: string, more: object = {}) =>
  bench.call(orgId, 'POST', '/messages', {
    json: { to: SARI, type: 'template', template: { name, language: { code: 'id' } }, ...more },
  })
const contactOf = async ({ orgId }: Shop) => (await bench.call(orgId, 'GET', '/contacts?q=sari')).json.data[0]
const minutes = (count: number) => new Date(Date.UTC(2026, 10, 1, 0, count)).toISOString()

const optedOut = (clientToken: string, at: string) =>
  aStatus({
    status: 'failed',
    clientToken,
    at,
    failure: { class: 'permanent', scope: 'number', code: 'recipient_opted_out', providerCode: '131050', detail: 'x' },
  })
const aPreference = (isStopped: boolean, at: string) => ({
  kind: 'preference',
  phoneNumberId: null,
  raw: null,
  person: { phone: SARI.slice(1), userId: null, parentUserId: null, username: null, name: null },
  isStopped,
  at,
})
const recordedOptOuts = async ({ orgId }: Shop) =>
  (await bench.eventsOf(orgId))
    .filter(({ type }) => type === 'contact.updated')
    .map(({ data }) => data.marketing_opt_outs.length)

/** A known customer to whom a marketing message failed because they had opted out. */
async function anOptOut(): Promise<Shop> {
  const shop = await aShop()
  await bench.report(shop, [aText({ name: 'Sari', phone: SARI.slice(1) })])
  const { json } = await send(shop, 'promo')
  await bench.settle()
  await bench.report(shop, [optedOut(json.id, minutes(10))])
  return shop
}

describe('a customer who opted out of marketing messages', () => {
  test('is known from the first failed message; the next is refused at once, and nothing is stored', async () => {
    const shop = await anOptOut()
    const contact = await contactOf(shop)
    expect(contact.marketing_opt_outs).toEqual([{ number_id: shop.numberId, at: minutes(10) }])
    expect(await recordedOptOuts(shop)).toEqual([1])
    const { status, json } = await send(shop, 'promo')
    expect([status, json.code]).toEqual([409, 'recipient_opted_out'])
    expect(json.params).toEqual({ contact_id: contact.id, opted_out_at: minutes(10) })
    const { count } = await bench.database.one<{ count: number }>`
      select count(*)::int as count from messages where org_id = ${shop.orgId} and direction = 'outbound'`
    expect(count).toBe(1)
  })

  test('still gets everything else, and scheduled messages are checked on their day', async () => {
    const shop = await anOptOut()
    expect((await send(shop, 'order_paid')).status).toBe(201)
    expect((await bench.call(shop.orgId, 'POST', '/messages', { json: { to: SARI, body: 'Halo' } })).status).toBe(201)
    const sendAt = new Date(bench.clock.now() + 86_400_000).toISOString()
    expect((await send(shop, 'promo', { send_at: sendAt })).status).toBe(201)
  })

  test('is refused with Meta’s code when the caller uses Meta’s dialect', async () => {
    const shop = await anOptOut()
    const promo = { type: 'template', template: { name: 'promo', language: { code: 'id' } } }
    const { status, json } = await cloudApi.send(shop, { messaging_product: 'whatsapp', to: SARI, ...promo })
    expect([status, json.error.code]).toEqual([400, 131050])
  })

  test('is stored as opted out when the network refuses at once', async () => {
    const shop = await aShop()
    await bench.report(shop, [aText({ name: 'Sari', phone: SARI.slice(1) })])
    channel.answerWith(refuse({ code: 'recipient_opted_out', providerCode: '131050' }))
    await send(shop, 'promo')
    await bench.settle()
    channel.answerWith((_, { take }) => take())
    expect((await contactOf(shop)).marketing_opt_outs).toMatchObject([{ number_id: shop.numberId }])
    expect((await send(shop, 'promo')).json.code).toBe('recipient_opted_out')
  })

  test('gets them again after opting in, and the latest report counts in whatever order reports arrive', async () => {
    const shop = await anOptOut()
    await bench.report(shop, [aPreference(false, minutes(20))])
    expect((await contactOf(shop)).marketing_opt_outs).toEqual([])
    expect((await send(shop, 'promo')).status).toBe(201)
    await bench.report(shop, [aPreference(true, minutes(15)), aPreference(false, minutes(20))])
    expect((await contactOf(shop)).marketing_opt_outs).toEqual([])
    await bench.report(shop, [aPreference(true, minutes(30))])
    expect((await contactOf(shop)).marketing_opt_outs).toEqual([{ number_id: shop.numberId, at: minutes(30) }])
    expect(await recordedOptOuts(shop)).toEqual([1, 0, 1])
  })

  test('on one number gets those of another number', async () => {
    const shop = await anOptOut()
    const other = await bench.aNumber(shop.orgId, { connector: 'promoting' })
    expect((await send(shop, 'promo', { from: other })).status).toBe(201)
  })

  test('on a number without a chat gets no chat there when a message is refused', async () => {
    const shop = await aShop()
    await bench.report(shop, [aText({ name: 'Sari', phone: SARI.slice(1) })])
    const other = await bench.aNumber(shop.orgId, { connector: 'promoting' })
    await bench.report({ ...shop, numberId: other }, [aPreference(true, minutes(10))])
    expect((await send(shop, 'promo', { from: other })).json.code).toBe('recipient_opted_out')
    expect((await bench.call(shop.orgId, 'GET', '/chats')).json.data).toHaveLength(1)
  })

  test('stays opted out when two contacts are merged', async () => {
    const shop = await anOptOut()
    const first = await contactOf(shop)
    await bench.report(shop, [aText({ name: 'Sari', phone: '6281298765432' })])
    const { json } = await bench.call(shop.orgId, 'GET', '/contacts?q=sari')
    const second = json.data.find(({ id }: { id: string }) => id !== first.id)
    await bench.database.transaction((tx) =>
      mergeContacts(tx, shop.orgId, [second.id, first.id] as Id<'con'>[], new Date()),
    )
    const merged = (await bench.call(shop.orgId, 'GET', `/contacts/${first.id}`)).json
    expect([merged.id, merged.marketing_opt_outs]).toEqual([second.id, [{ number_id: shop.numberId, at: minutes(10) }]])
  })

  /** Two contacts, of which the one that opts out is merged into the other. */
  async function twoContacts() {
    const shop = await aShop()
    await bench.report(shop, [aText({ name: 'Sari', phone: SARI.slice(1) })])
    const { id: from } = await contactOf(shop)
    await bench.report(shop, [aText({ name: 'Budi', phone: '6281298765432' })])
    const into = (await bench.call(shop.orgId, 'GET', '/contacts?q=budi')).json.data[0].id
    const merge = (tx: Tx) => mergeContacts(tx, shop.orgId, [into, from] as Id<'con'>[], new Date())
    return { shop, from, into, merge }
  }

  /** Holds its transaction open after the work until another one waits for a lock, and then runs `afterwards`. */
  function untilAwaited(work: (tx: Tx) => Promise<unknown>, afterwards: (tx: Tx) => Promise<unknown> = async () => {}) {
    const isDone = Promise.withResolvers<void>()
    const isOver = bench.database.transaction(async (tx) => {
      await work(tx)
      isDone.resolve()
      await untilLockIsAwaited(bench.database)
      return afterwards(tx)
    })
    return { isDone: isDone.promise, isOver }
  }

  test('while two contacts are merged is opted out as the kept contact', async () => {
    const { shop, into, merge } = await twoContacts()
    const merging = untilAwaited(merge)
    await merging.isDone
    await bench.report(shop, [aPreference(true, minutes(10))])
    await merging.isOver
    const { json } = await bench.call(shop.orgId, 'GET', `/contacts/${into}`)
    expect(json.marketing_opt_outs).toEqual([{ number_id: shop.numberId, at: minutes(10) }])
  })

  test('just before two contacts are merged is opted out as the kept contact', async () => {
    const { shop, from, into, merge } = await twoContacts()
    const optOut = JSON.stringify([{ number_id: shop.numberId, at: minutes(10), is_stopped: true }])
    const stopping = untilAwaited(
      (tx) => tx.run`
        update contacts set marketing_wishes = ${optOut}::text::jsonb where org_id = ${shop.orgId} and id = ${from}`,
    )
    await stopping.isDone
    await bench.database.transaction(merge)
    await stopping.isOver
    const { json } = await bench.call(shop.orgId, 'GET', `/contacts/${into}`)
    expect(json.marketing_opt_outs).toEqual([{ number_id: shop.numberId, at: minutes(10) }])
  })

  test('is locked before the refused message, as the lock order demands', async () => {
    const shop = await aShop()
    await bench.report(shop, [aText({ name: 'Sari', phone: SARI.slice(1) })])
    channel.answerWith(refuse({ code: 'recipient_opted_out', providerCode: '131050' }))
    const changing = untilAwaited(
      (tx) => tx.run`select 1 from contacts where org_id = ${shop.orgId} for update`,
      async (tx) => {
        const messages = await tx.many<{ id: string }>`select id from messages where org_id = ${shop.orgId}`
        await limitLockWaits(tx, 1)
        const ids = messages.map(({ id }) => id)
        return (await lockMessages(tx, shop.orgId, ids)).length
      },
    )
    await changing.isDone
    await send(shop, 'promo')
    expect(await changing.isOver).toBe(2)
    await bench.settle()
    channel.answerWith((_, { take }) => take())
    expect((await contactOf(shop)).marketing_opt_outs).toHaveLength(1)
  })

  test('while a message waits for the chat is not sent that message', async () => {
    const shop = await anOptOut()
    const { orgId } = shop
    const { opt_outs } = await bench.database.one<{ opt_outs: unknown }>`
      select marketing_wishes as opt_outs from contacts where org_id = ${orgId}`
    await bench.database.run`update contacts set marketing_wishes = '[]' where org_id = ${orgId}`
    const isHeld = Promise.withResolvers<void>()
    const holding = bench.database.transaction(async (tx) => {
      await tx.run`select from chats where org_id = ${orgId} for update`
      await tx.run`update contacts set marketing_wishes = ${JSON.stringify(opt_outs)}::text::jsonb where org_id = ${orgId}`
      isHeld.resolve()
      await untilLockIsAwaited(bench.database)
    })
    await isHeld.promise
    const reply = await send(shop, 'promo')
    await holding
    expect([reply.status, reply.json.code]).toEqual([409, 'recipient_opted_out'])
  })

  test('and is not a known contact leaves no row', async () => {
    const shop = await aShop()
    await bench.report(shop, [aPreference(true, minutes(1))])
    expect((await bench.call(shop.orgId, 'GET', '/contacts')).json.data).toEqual([])
  })
})
