import type { ChannelPerson } from '../../channel-connector.ts'
import { type NetworkError, networkErrors } from './network-errors.ts'
import { userIdOf } from './seeded.ts'
import type { Form, Script } from './status-scripts.ts'

/**
 * The published test numbers: whom one writes to decides what goes wrong. They are part of what integrators build
 * against, so a number keeps its meaning for good; docs/concepts/simulator.md has the same table, kept true by a test.
 */
export type TestNumber = {
  phone: string
  title: string
  /** For the guide. */
  happens: string
} & Behaviour

export type Behaviour = {
  answer: SendAnswer
  script: Script
  /** The network never tells their phone. */
  isPhoneHidden?: boolean
  /** The network knows them under another number than the one that is dialled. */
  reportedPhone?: string
}

export type SendAnswer =
  | { kind: 'accepts' }
  /** Accepts, but the answer gets lost on the way back. */
  | { kind: 'accepts_silently' }
  /** The request got lost on the way there: there is no answer and nothing was accepted. */
  | { kind: 'loses' }
  | { kind: 'accepts_slowly' }
  /** So many times, then it accepts; always when null. */
  | { kind: 'refuses'; error: NetworkError; times: number | null; retryAfterMs?: number; isTemplateTaken?: boolean }

const accepts = { kind: 'accepts' } as const

export const ordinary: Behaviour = { answer: accepts, script: 'ordinary' }

const windowClosed: Behaviour = { answer: accepts, script: 'window_closed' }

export const testNumbers: readonly TestNumber[] = [
  {
    phone: '+6281200000001',
    title: 'Ordinary',
    happens: '`sent` and `delivered` within half a second, `read` within four. So does every number that is not listed',
    ...ordinary,
  },
  {
    phone: '+6281200000101',
    title: 'Not on WhatsApp',
    happens: 'accepted, then `failed` with 131026',
    answer: accepts,
    script: 'failing',
  },
  {
    phone: '+6281200000102',
    title: 'Not on WhatsApp, said at once',
    happens: 'refused with 131026: `failed` without ever being `sent`',
    answer: { kind: 'refuses', error: networkErrors.undeliverable, times: null },
    script: 'ordinary',
  },
  {
    phone: '+6281200000103',
    title: 'Has blocked the business',
    happens: '`sent`, and nothing ever after',
    answer: accepts,
    script: 'undelivered',
  },
  {
    phone: '+6281200000104',
    title: 'Is blocked by the business',
    happens: 'refused with 130403',
    answer: { kind: 'refuses', error: networkErrors.blockedByBusiness, times: null },
    script: 'ordinary',
  },
  {
    phone: '+6281200000105',
    title: 'Reply window closed',
    happens: 'accepted, then `failed` with 131047; templates arrive',
    ...windowClosed,
  },
  {
    phone: '+6281200000106',
    title: 'Reply window closed, said at once',
    happens: 'refused with 131047; templates arrive',
    answer: { kind: 'refuses', error: networkErrors.windowClosed, times: null, isTemplateTaken: true },
    script: 'ordinary',
  },
  {
    phone: '+6281200000107',
    title: 'Slow',
    happens: 'the network takes three seconds to answer; `delivered` after ten, `read` after twenty',
    answer: { kind: 'accepts_slowly' },
    script: 'slow',
  },
  {
    phone: '+6281200000108',
    title: 'Throttled',
    happens: 'refused twice with 130429 and "again in one second", then accepted',
    answer: { kind: 'refuses', error: networkErrors.throttled, times: 2, retryAfterMs: 1_000 },
    script: 'ordinary',
  },
  {
    phone: '+6281200000109',
    title: 'Throttled for this person',
    happens: 'refused twice with 131056, then accepted; other people are not affected',
    answer: { kind: 'refuses', error: networkErrors.pairThrottled, times: 2 },
    script: 'ordinary',
  },
  {
    phone: '+6281200000110',
    title: 'Answer lost',
    happens: 'accepted, but the answer never comes; the statuses that follow settle it',
    answer: { kind: 'accepts_silently' },
    script: 'ordinary',
  },
  {
    phone: '+6281200000111',
    title: 'Request lost',
    happens: 'no answer, and nothing was accepted: no status ever comes, and the wait ends as the number is set to',
    answer: { kind: 'loses' },
    script: 'ordinary',
  },
  {
    phone: '+6281200000112',
    title: 'Network unavailable',
    happens: 'refused once with 131016, then accepted',
    answer: { kind: 'refuses', error: networkErrors.unavailable, times: 1 },
    script: 'ordinary',
  },
  {
    phone: '+6281200000113',
    title: 'Repeated webhooks',
    happens: 'every status comes three times',
    answer: accepts,
    script: 'repeated',
  },
  {
    phone: '+6281200000114',
    title: 'Reordered webhooks',
    happens: '`read` comes first, then `delivered`, then `sent`',
    answer: accepts,
    script: 'reversed',
  },
  {
    phone: '+6281200000115',
    title: 'Never reads',
    happens: '`sent`, `delivered`, and no `read`',
    answer: accepts,
    script: 'unread',
  },
  {
    phone: '+6281200000116',
    title: 'Fails late',
    happens: '`sent`, then `failed` with 131026',
    answer: accepts,
    script: 'failing_late',
  },
  {
    phone: '+6281200000117',
    title: 'Account problem',
    happens:
      'refused with 190: the number pauses and keeps what is to be sent until it is resumed; the third time the message fails',
    answer: { kind: 'refuses', error: networkErrors.credentials, times: null },
    script: 'ordinary',
  },
  {
    phone: '+6281200000118',
    title: 'Has the chat open',
    happens: '`sent` and at once `read`; `delivered` is left out',
    answer: accepts,
    script: 'watching',
  },
  {
    phone: '+6281200000119',
    title: 'No phone number',
    happens: 'what this person writes, and what is reported about them, names a user id and no phone',
    answer: accepts,
    script: 'ordinary',
    isPhoneHidden: true,
  },
  {
    phone: '+6281200000120',
    title: 'Writes back',
    happens: 'reads, and answers with the words they were sent',
    answer: accepts,
    script: 'answering',
  },
  {
    phone: '+5531998120001',
    title: 'Another spelling',
    happens: 'the network knows this Brazilian number without its ninth digit, as +55 31 9812-0001',
    answer: accepts,
    script: 'ordinary',
    reportedPhone: '553198120001',
  },
]

const digitsOf = (phone: string) => phone.replaceAll(/\D/g, '')

const byPerson = new Map<string, TestNumber>(
  testNumbers.flatMap((number) => {
    const digits = digitsOf(number.phone)
    const spellings = [digits, userIdOf(digits), ...(number.reportedPhone === undefined ? [] : [number.reportedPhone])]
    return spellings.map((spelling) => [spelling, number] as const)
  }),
)

export function behaviourOf({ phone, userId }: ChannelPerson): Behaviour {
  return (phone === null ? undefined : byPerson.get(phone)) ?? byPerson.get(userId ?? '') ?? ordinary
}

/** Outside the window a template is what gets through. */
export const scriptFor = ({ script }: Behaviour, form: Form): Script =>
  script === 'window_closed' && form === 'template' ? 'ordinary' : script
