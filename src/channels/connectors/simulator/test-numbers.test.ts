import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { loopbackEgress } from '../../../../test/support/egress.ts'
import { parsePhone } from '../../../platform/phone/phone-numbers.ts'
import { createWhatsAppCloud } from '../whatsapp-cloud/whatsapp-cloud.ts'
import { graphErrorOf, networkErrors } from './network-errors.ts'
import { drawMs, outboundIdOf, readOutboundId, userIdOf } from './seeded.ts'
import { hookDueMs, scriptOf } from './status-scripts.ts'
import { behaviourOf, ordinary, testNumbers } from './test-numbers.ts'

const MESSAGE = 'msg_01k9x3m5q8e0t9v7a2b4c6d8fg'

describe('published test numbers', () => {
  test('exist as far as the tables of phone numbers know, and stand once', () => {
    expect(testNumbers.map(({ phone }) => parsePhone(phone, 'ID')?.e164)).toEqual(testNumbers.map(({ phone }) => phone))
    expect(new Set(testNumbers.map(({ phone }) => phone)).size).toBe(testNumbers.length)
  })

  test('are described in the guide exactly as they behave', () => {
    const guide = readFileSync(new URL('../../../../docs/concepts/simulator.md', import.meta.url), 'utf8')
    const rows = [...guide.matchAll(/^\| `(\+\d+)` \| (.+?) \| (.+?) \|$/gm)].map(([, phone, title, happens]) => ({
      phone,
      title,
      happens,
    }))
    expect(rows).toEqual(testNumbers.map(({ phone, title, happens }) => ({ phone, title, happens })))
  })

  test('are recognised by phone and by user id, and no others are', () => {
    for (const { phone, script, answer } of testNumbers) {
      const digits = phone.slice(1)
      for (const person of [
        { phone: digits, userId: null },
        { phone: null, userId: userIdOf(digits) },
      ])
        expect([phone, behaviourOf(person)]).toEqual([phone, expect.objectContaining({ script, answer })])
    }
    expect(behaviourOf({ phone: '6281299999999', userId: null })).toEqual(ordinary)
    expect(behaviourOf({ phone: null, userId: 'ID.1' })).toEqual(ordinary)
  })

  test('fail with what the same code of Meta’s means everywhere else', () => {
    const { readBatch } = createWhatsAppCloud({ egress: loopbackEgress, userAgent: 'Nexkit/test' })
    for (const error of Object.values(networkErrors)) {
      const value = { metadata: { phone_number_id: '1' }, errors: [graphErrorOf(error)] }
      const batch = { entry: [{ changes: [{ field: 'messages', value }] }] }
      const [report] = readBatch(new TextEncoder().encode(JSON.stringify(batch)))
      const { scope = 'number', ...meaning } = error.meaning as { scope?: string; class: string; code: string }
      expect(report).toMatchObject({ kind: 'account_problem', failure: { ...meaning, scope } })
    }
  })
})

describe('scripts', () => {
  const statusesOf = (...given: Parameters<typeof scriptOf>) =>
    scriptOf(...given).map(({ statuses }) => statuses.map(({ status }) => status).join(' '))
  const seeded = { seed: 'one', recipient: '6281200000001' }

  test('are the same for the same seed and recipient, and differ with either', () => {
    const due = (seed: string, recipient: string) =>
      scriptOf('ordinary', 'message', { seed, recipient }).map(hookDueMs).join()
    const [one, other] = ['6281200000001', '6281200000002'] as const
    expect(due('one', one)).toBe(due('one', one))
    expect(new Set(['one', 'two', 'three'].map((seed) => due(seed, one))).size).toBe(3)
    expect(due('one', one)).not.toBe(due('one', other))
  })

  test('keep their statuses in the order of their moments, except where they are to come in another', () => {
    for (const { script } of testNumbers) {
      const hooks = scriptOf(script, 'message', seeded)
      const dues = hooks.map(hookDueMs)
      expect([script, dues]).toEqual([script, dues.toSorted((one, other) => one - other)])
      const moments = hooks.flatMap(({ statuses }) => statuses.map(({ afterMs }) => afterMs))
      const isOrdered = moments.join() === moments.toSorted((one, other) => one - other).join()
      expect([script, isOrdered]).toEqual([script, script !== 'reversed'])
    }
  })

  test('of a reaction end with sent, and a voice note is played', () => {
    expect(statusesOf('ordinary', 'reaction', seeded)).toEqual(['sent'])
    expect(statusesOf('failing', 'reaction', seeded)).toEqual(['failed'])
    expect(statusesOf('ordinary', 'voice', seeded)).toEqual(['sent delivered', 'read played'])
    expect(statusesOf('ordinary', 'message', seeded)).toEqual(['sent delivered', 'read'])
  })
})

describe('ids', () => {
  test('of the network lead back to the message and differ with seed and copy', () => {
    const ids = [outboundIdOf('one', MESSAGE, 1), outboundIdOf('one', MESSAGE, 2), outboundIdOf('two', MESSAGE, 1)]
    expect(new Set(ids).size).toBe(3)
    expect(ids.map(readOutboundId)).toEqual([
      { messageId: MESSAGE, copy: 1 },
      { messageId: MESSAGE, copy: 2 },
      { messageId: MESSAGE, copy: 1 },
    ])
    expect([readOutboundId('wamid.HBgN'), readOutboundId(MESSAGE)]).toEqual([null, null])
  })

  test('delays stay within their bounds', () => {
    const drawn = Array.from({ length: 500 }, (_, index) => drawMs('one', String(index), { minMs: 100, maxMs: 110 }))
    expect([Math.min(...drawn), Math.max(...drawn)]).toEqual([100, 109])
  })
})
