import { describe, expect, test } from 'bun:test'
import {
  actionNames,
  needsReview,
  REPLACED_PHRASES,
  REPLACED_WORDS_ID,
  STOPPED_WORDS,
  stateNames,
} from '../../../test/support/names.ts'
import { english } from './en.ts'
import { indonesian } from './id.ts'
import { serverWords } from './server-id.ts'
import type { TextKey } from './text.tsx'
import { consoleAdvice } from './webhooks-en.ts'

/** Where the dictionaries name the states of the table. */
const stateKeys: Record<string, keyof typeof stateNames> = {
  'order.status': 'order',
  'payment.of': 'orderPayment',
  'payment.status': 'payment',
  'refund.status': 'refund',
  'delivery.status': 'orderDelivery',
  'keys.state': 'key',
  'agents.state': 'agent',
  'approvals.status': 'approval',
  'chats.status': 'chat',
}

/** Where they name an action of the table. */
const actionKeys: Record<keyof typeof actionNames, TextKey[]> = {
  create: [],
  edit: ['webhooks.change', 'agents.change', 'order.act.edit'],
  delete: ['act.delete', 'passkeys.delete'],
  cancel: [],
  refund: ['order.act.refund', 'settings.late.refund'],
  markAsPaid: ['order.act.markPaid'],
  complete: ['order.act.complete'],
  ship: ['order.act.ship'],
  markAsDelivered: ['order.act.deliver'],
  resend: ['deliveries.resend', 'message.again'],
  retry: ['act.retry'],
  recover: ['recover.title'],
  pause: ['webhooks.pause', 'agents.pause'],
  resume: ['webhooks.resume', 'agents.resume'],
  rotate: ['keys.rotate'],
  revoke: ['keys.revoke', 'agents.end', 'people.withdraw'],
  copy: ['act.copy'],
  approve: ['approvals.approve'],
  refuse: ['approvals.refuse'],
  invite: ['people.send'],
  remove: ['people.remove'],
  connect: ['connect.agree'],
  erasePayload: ['events.erase'],
}

/** Keys whose text begins with the verb of an action. */
const verbKeys: Partial<Record<keyof typeof actionNames, TextKey[]>> = {
  create: ['keys.create', 'webhooks.create', 'agents.create', 'orders.create'],
  cancel: ['order.act.cancel', 'message.cancel'],
  refund: ['refund.give'],
  recover: ['recover.open'],
  resend: ['scenario.duplicate'],
  rotate: ['webhooks.rotate', 'agents.newToken'],
  connect: ['numbers.connect', 'payments.connect'],
}

const dictionaries: { language: 'en' | 'id'; texts: Record<TextKey, string> }[] = [
  { language: 'en', texts: english },
  { language: 'id', texts: indonesian },
]

describe.each(dictionaries)('the dictionary in $language', ({ language, texts }) => {
  const text = (key: string) => texts[key as TextKey]

  test.each(Object.entries(stateKeys))('names the states of %s by the table', (prefix, group) => {
    for (const [state, name] of Object.entries(stateNames[group]))
      expect([prefix, state, text(`${prefix}.${state}`)]).toEqual([prefix, state, name[language]])
  })

  test('names the other states by the table', () => {
    const { message, delivery, endpoint, recovery, number, paymentAccount } = stateNames
    const shared = { ...delivery, ...endpoint, ...recovery, ...number, ...paymentAccount }
    for (const [state, name] of Object.entries(shared))
      expect([state, text(`state.${state}`)]).toEqual([state, name[language]])
    const { received: _, ...outbound } = message
    for (const [state, name] of Object.entries(outbound))
      expect([state, text(`message.status.${state}`)]).toEqual([state, name[language]])
    expect(texts['orders.needsReview']).toBe(needsReview[language])
  })

  test('names the actions by the table', () => {
    for (const [action, name] of Object.entries(actionNames) as [keyof typeof actionNames, typeof needsReview][]) {
      for (const key of actionKeys[action]) expect([key, texts[key]]).toEqual([key, name[language]])
      for (const key of verbKeys[action] ?? [])
        expect([key, texts[key]]).toEqual([key, expect.stringMatching(new RegExp(`^${name[language]}`))])
    }
  })
})

test('no English text has a word or a phrase that was replaced', () => {
  const texts = [...Object.entries(english), ...Object.entries(consoleAdvice)]
  expect(texts.filter(([, text]) => STOPPED_WORDS.test(String(text)) || REPLACED_PHRASES.test(String(text)))).toEqual(
    [],
  )
})

test('no Indonesian text has a word that was replaced', () => {
  const texts = [...Object.values(indonesian), ...stringsIn(serverWords)]
  expect(texts.filter((text) => REPLACED_WORDS_ID.test(text))).toEqual([])
})

const stringsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value as Record<string, unknown>).flatMap(stringsIn)
