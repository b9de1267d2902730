import { describe, expect, test } from 'bun:test'
import { aText, useSimulator } from '../../../../test/support/simulator.ts'
import { until } from '../../../../test/support/until.ts'
import type { ChannelNumber, ChannelReport, OutboundMessage, SendOutcome } from '../../channel-connector.ts'
import type { TemplateContent } from '../../content/message-content.ts'
import { REPORT_JOB } from './acceptance.ts'
import { outboundIdOf, userIdOf } from './seeded.ts'
import { simulatorTemplates } from './templates.ts'
import { createThroughput } from './throughput.ts'

/** The outcome of messages to the published test numbers: the response, and what the network reports afterwards. */
const bench = useSimulator()

const send = (message: OutboundMessage, number = bench.number): Promise<SendOutcome> =>
  bench.simulator.connector.send(number, message, AbortSignal.timeout(10_000))

type Status = Extract<ChannelReport, { kind: 'status' }>

const statusesOf = (message: OutboundMessage, number?: ChannelNumber): Status[] =>
  bench
    .reports(number)
    .filter((report): report is Status => report.kind === 'status' && report.clientToken === message.id)
const reported = (message: OutboundMessage) => statusesOf(message).map(({ status }) => status)
/** Nothing more is to come. */
const isOver = async () => {
  const rows = await bench.channels.context.database.many`select id from outbox_entries`
  return rows.length === 0
}

const codeOf = (outcome: SendOutcome) => (outcome.kind === 'refused' ? outcome.failure.providerCode : outcome.kind)

describe('statuses', () => {
  test.each([
    ['+6281200000001', 'sent delivered read'],
    ['+6281299999999', 'sent delivered read'],
    ['+6281200000101', 'failed'],
    ['+6281200000103', 'sent'],
    ['+6281200000105', 'failed'],
    ['+6281200000107', 'sent delivered read'],
    ['+6281200000110', 'sent delivered read'],
    ['+6281200000113', 'sent sent sent delivered delivered delivered read read read'],
    ['+6281200000114', 'read delivered sent'],
    ['+6281200000115', 'sent delivered'],
    ['+6281200000116', 'sent failed'],
    ['+6281200000118', 'sent read'],
  ])('of a message to %s come as %s, with our id in each', async (phone, expected) => {
    const message = aText(phone)
    await send(message)
    await until(() => reported(message).length === expected.split(' ').length)
    await until(isOver)
    expect(reported(message).join(' ')).toBe(expected)
    const providerId = outboundIdOf('nexkit', message.id, 1)
    expect(statusesOf(message).every((status) => status.providerId === providerId)).toBe(true)
    expect(statusesOf(message)[0]?.recipient.phone).toBe(phone.slice(1))
  })

  test('of messages that were taken together come in one hook, each with its own', async () => {
    const number = await bench.aNumber()
    const messages = Array.from({ length: 50 }, (_, index) => aText(`+62813000000${10 + index}`))
    const outcomes = await Promise.all(messages.map((message) => send(message, number)))
    expect(outcomes.map(({ kind }) => kind)).toEqual(messages.map(() => 'accepted'))
    await until(() => messages.every((message) => statusesOf(message, number).length === 3))
    // How many depends on how fast the machine takes them; one each would be a hundred and fifty.
    expect(bench.hooks(number)).toBeLessThan(75)
    const sent = await bench.simulator.customers.listSent(number)
    expect(sent.map(({ message_id, copies }) => [message_id, copies])).toEqual(messages.map(({ id }) => [id, 1]))
  })

  test('are due at the next pulse of the network, with those of other messages', async () => {
    const number = await bench.aNumber()
    for (let nth = 0; nth < 5; nth++) await send(aText('+6281200000107'), number)
    const { database } = bench.channels.context
    const dueMs = async () =>
      (
        await database.many<{ due_at: Date }>`
          select due_at from outbox_entries where org_id = ${number.orgId} and job = ${REPORT_JOB}`
      ).map(({ due_at }) => due_at.getTime())
    const due = await dueMs()
    expect(due.length).toBeGreaterThan(0)
    expect(due.filter((ms) => ms % 200 !== 0)).toEqual([])
  })

  test('come for people with the longest user ids there are, too', async () => {
    const number = await bench.aNumber()
    const userId = (index: number) => `ID.${String(index).padStart(128, '7')}`
    const messages = Array.from({ length: 40 }, (_, index) => aText('', { to: { phone: null, userId: userId(index) } }))
    await Promise.all(messages.map((message) => send(message, number)))
    await until(() => messages.every((message) => statusesOf(message, number).length === 3))
    expect(statusesOf(messages[39] as OutboundMessage, number)[0]?.recipient).toMatchObject({
      phone: null,
      userId: userId(39),
    })
  })

  test('of a failure name Meta’s code, which means the same as always', async () => {
    const [unreachable, closed] = [aText('+6281200000101'), aText('+6281200000105')]
    await Promise.all([send(unreachable), send(closed)])
    await until(() => reported(unreachable).length === 1 && reported(closed).length === 1)
    expect(statusesOf(unreachable)[0]?.failure).toMatchObject({ class: 'permanent', providerCode: '131026' })
    expect(statusesOf(closed)[0]?.failure).toMatchObject({ class: 'window', code: 'reply_window_closed' })
  })
})

describe('answers', () => {
  test.each([
    ['+6281200000102', '131026'],
    ['+6281200000104', '130403'],
    ['+6281200000106', '131047'],
    ['+6281200000111', 'unknown'],
    ['+6281200000117', '190'],
  ])('%s says %s, and nothing is ever reported', async (phone, code) => {
    const message = aText(phone)
    expect(codeOf(await send(message))).toBe(code)
    expect(codeOf(await send(message))).toBe(code)
    const sent = await bench.simulator.customers.listSent(bench.number)
    expect(sent.filter((row) => row.message_id === message.id)).toEqual([])
    expect(reported(message)).toEqual([])
  })

  test.each([
    ['+6281200000108', ['130429', '130429', 'accepted']],
    ['+6281200000109', ['131056', '131056', 'accepted']],
    ['+6281200000112', ['131016', 'accepted']],
  ])('%s refuses for a while, counted by message, and then accepts once', async (phone, expected) => {
    const message = aText(phone)
    const answers: string[] = []
    for (const _ of expected) answers.push(String(codeOf(await send(message))))
    expect(answers).toEqual(expected)
    expect(codeOf(await send(aText(phone)))).toBe(expected[0] as string)
    await until(() => reported(message).length === 3)
  })

  test('throttling says when to come again, and whom it is about', async () => {
    expect(await send(aText('+6281200000108'))).toMatchObject({ failure: { retryAfterMs: 1_000, scope: 'number' } })
    expect(await send(aText('+6281200000109'))).toMatchObject({ failure: { class: 'retry', scope: 'recipient' } })
  })

  test('an answer that got lost leaves a message that gets statuses', async () => {
    const message = aText('+6281200000110')
    expect((await send(message)).kind).toBe('unknown')
    await until(() => reported(message).includes('delivered'))
  })

  test('a send waits for the slow one no longer than its timeout, and then it has taken nothing', async () => {
    const message = aText('+6281200000107')
    const outcome = await bench.simulator.connector.send(bench.number, message, AbortSignal.timeout(20))
    expect(outcome).toMatchObject({ kind: 'refused', failure: { class: 'retry' } })
    expect((await send(message)).kind).toBe('accepted')
    const sent = await bench.simulator.customers.listSent(bench.number)
    expect(sent.find((row) => row.message_id === message.id)?.copies).toBe(1)
  })

  test('the same message sent twice is two messages to the network', async () => {
    const message = aText('+6281200000001')
    const ids = [await send(message), await send(message)].map((one) => one.kind === 'accepted' && one.providerId)
    expect(ids).toEqual([1, 2].map((copy) => outboundIdOf('nexkit', message.id, copy)))
    const sent = await bench.simulator.customers.listSent(bench.number)
    expect(sent.find((row) => row.message_id === message.id)?.copies).toBe(2)
  })

  test('the network has its own names for some people', async () => {
    const [brazilian, hidden] = [aText('+5531998120001'), aText('+6281200000119')]
    expect(await send(brazilian)).toMatchObject({ recipient: { phone: '553198120001' } })
    expect(await send(hidden)).toMatchObject({ recipient: { userId: userIdOf('6281200000119') } })
    await until(() => reported(brazilian).length > 0 && reported(hidden).length > 0)
    expect(statusesOf(brazilian)[0]?.recipient.phone).toBe('553198120001')
    expect(statusesOf(hidden)[0]?.recipient).toMatchObject({ phone: null, userId: userIdOf('6281200000119') })
  })

  test('another seed gives other ids', async () => {
    const number = await bench.aNumber({ settings: { seed: 'another' } })
    const message = aText('+6281200000001')
    expect(await send(message, number)).toMatchObject({ providerId: outboundIdOf('another', message.id, 1) })
  })
})

describe('the reply window', () => {
  const template: TemplateContent = { name: 'order_ready', language: { code: 'id' } }

  test('closed: a template gets through where words do not', async () => {
    for (const phone of ['+6281200000105', '+6281200000106']) {
      const message = aText(phone, { content: { type: 'template', template } })
      expect((await send(message)).kind).toBe('accepted')
      await until(() => reported(message).includes('delivered'))
    }
  })

  test('is kept by the network of a number that says so, and opened by what a customer writes', async () => {
    const number = await bench.aNumber({ settings: { reply_window: true } })
    const before = aText('+6281300000001')
    await send(before, number)
    await until(() => statusesOf(before, number).length === 1)
    expect(statusesOf(before, number)[0]?.failure?.code).toBe('reply_window_closed')
    const content = { type: 'text', body: 'Halo' } as const
    await bench.simulator.customers.customerWrites({ number, from: '+6281300000001', content })
    const after = aText('+6281300000001')
    await send(after, number)
    await until(() => statusesOf(after, number).some(({ status }) => status === 'delivered'))
  })
})

describe('the limits of a real number', () => {
  const strict = { settings: { reply_window: true } }
  const PHONE = '+6281300000002'
  const manage = (number: ChannelNumber, method: 'POST' | 'DELETE') =>
    bench.simulator.connector.manage?.(
      number,
      {
        ...{ method, about: 'number', objectId: number.phoneNumberId, edge: 'block_users', item: null, query: {} },
        body: { block_users: [{ user: PHONE }] },
      },
      AbortSignal.timeout(5_000),
    )

  test('a user whom the business has blocked is refused with 130403 until they are unblocked', async () => {
    const number = await bench.aNumber()
    await manage(number, 'POST')
    expect(codeOf(await send(aText(PHONE), number))).toBe('130403')
    await manage(number, 'DELETE')
    expect(codeOf(await send(aText(PHONE), number))).toBe('accepted')
  })

  test('a customer who is sent more than 45 messages is refused with 131056, and others are not', async () => {
    const number = await bench.aNumber(strict)
    for (let count = 0; count < 45; count++) await send(aText(PHONE), number)
    expect(codeOf(await send(aText(PHONE), number))).toBe('131056')
    expect(codeOf(await send(aText('+6281300000003'), number))).toBe('accepted')
    const lenient = await bench.aNumber()
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => send(aText(PHONE), lenient)))
    expect(new Set(outcomes.map(codeOf))).toEqual(new Set(['accepted']))
  })

  test('a number that sends more than its throughput is refused with 130429', () => {
    const clock = { nowMs: 0 }
    const takeTurn = createThroughput({ now: () => clock.nowMs })
    const taken = () => Array.from({ length: 300 }, () => takeTurn({ id: 'num_one' })).filter(Boolean).length
    expect([taken(), taken(), takeTurn({ id: 'num_other' })]).toEqual([160, 0, true])
    clock.nowMs += 1000
    expect(taken()).toBe(80)
  })

  test('a template that is not approved is refused with 132001, and one that was created is sent', async () => {
    const number = await bench.aNumber(strict)
    for (const name of ['autumn_offer', 'pending_offer']) {
      const body = { name, language: 'id', category: 'MARKETING', components: [{ type: 'BODY', text: 'Halo!' }] }
      const call = { about: 'account', objectId: '1', edge: 'message_templates', item: null, query: {} } as const
      await bench.simulator.connector.manage?.(number, { ...call, method: 'POST', body }, AbortSignal.timeout(5_000))
    }
    const template = (name: string) =>
      aText(PHONE, { content: { type: 'template', template: { name, language: { code: 'id' } } } })
    expect(codeOf(await send(template('pending_offer'), number))).toBe('132001')
    expect(codeOf(await send(template('autumn_offer'), number))).toBe('accepted')
  })
})

describe('memory', () => {
  test('what is older than a week is forgotten, and nothing else', async () => {
    const number = await bench.aNumber()
    const { database } = bench.channels.context
    const [old, recent] = ['msg_old', 'msg_recent']
    for (const [id, days] of [
      [old, 8],
      [recent, 6],
    ] as const)
      await database.run`
        insert into simulator_messages (org_id, number_id, recipient, message_id, copies, seen_at)
        values (${number.orgId}, ${number.id}, '62813', ${id}, 1, ${new Date(bench.clock.now() - days * 86_400_000)})`
    const message = aText('+6281200000103')
    await send(message, number)
    const ids = async () => (await bench.simulator.customers.listSent(number)).map((row) => row.message_id)
    await until(async () => !(await ids()).includes(old))
    expect((await ids()).toSorted()).toEqual([message.id, recent].toSorted())
  })

  test('of two organizations with the same phones and ids nothing is mixed', async () => {
    const [one, other] = [
      await bench.aNumber({ phone_number_id: '42' }),
      await bench.aNumber({ phone_number_id: '42' }),
    ]
    const message = aText('+6281200000115')
    await send(message, one)
    expect(await bench.simulator.customers.listSent(other)).toEqual([])
    const reading = { number: other, from: '+6281200000115' }
    expect(await bench.simulator.customers.customerReads(reading)).toEqual([])
    const otherOrg = { orgId: other.orgId, id: one.id }
    await expect(bench.simulator.customers.listSent(otherOrg)).rejects.toThrow('no connected simulator number')
  })
})

describe('templates', () => {
  const sendTemplate = (template: TemplateContent) =>
    send(aText('+6281200000001', { content: { type: 'template', template } }))
  const body = (...texts: string[]) => [{ type: 'body', parameters: texts.map((text) => ({ type: 'text', text })) }]

  test('that are approved are listed, in English and Indonesian', async () => {
    const outcome = await bench.simulator.connector.listTemplates(bench.number, AbortSignal.timeout(1_000))
    if (outcome.kind !== 'done') throw new Error('refused')
    const orders = outcome.templates.filter(({ name }) => name.startsWith('order_'))
    expect(new Set(orders.map(({ language }) => language))).toEqual(new Set(['en', 'id']))
    expect(outcome.templates.length).toBe(simulatorTemplates.length)
  })

  test('are accepted with as many parameters as they have, and refused with more or fewer', async () => {
    const language = { code: 'id' }
    expect((await sendTemplate({ name: 'order_paid', language, components: body('A-1', 'Rp 5') })).kind).toBe(
      'accepted',
    )
    for (const components of [[], body('A-1'), body('A-1', 'Rp 5', 'x')])
      expect(await sendTemplate({ name: 'order_paid', language, components })).toMatchObject({
        failure: { code: 'template_parameters_wrong', providerCode: '132000' },
      })
  })

  test('that are not approved are refused by name and language', async () => {
    for (const [name, code] of [
      ['order_lost', 'id'],
      ['order_paid', 'fr'],
    ] as const)
      expect(await sendTemplate({ name, language: { code }, components: body('A', 'B') })).toMatchObject({
        failure: { code: 'template_not_found', providerCode: '132001', detail: expect.stringContaining(code) },
      })
  })
})
