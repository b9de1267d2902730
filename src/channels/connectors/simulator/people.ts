import type { ChannelNumber } from '../../channel-connector.ts'
import type { NumberPlace } from './hook-sender.ts'
import { nameOf, seedOf, userIdOf } from './seeded.ts'
import { simulationImpossible } from './simulator.errors.ts'
import type { Writer } from './simulator.sql.ts'
import { behaviourOf } from './test-numbers.ts'

/** The simulated customer: a phone, or a user id where nothing else is known. */
export type Customer = {
  number: NumberPlace
  /** In international form, however it is spelled; null with a user id. */
  from: string | null
  name?: string
  username?: string
  userId?: string
  /** Has a phone, but does not show it: the network names a user id only. */
  isPhoneHidden?: boolean
}

export type Identity = {
  /** What the simulator knows them by. */
  id: string
  phone: string | null
  userId: string
  /** Everything that a message for them may have been addressed to. */
  addresses: string[]
}

const PHONE = /^[1-9]\d{6,14}$/
const USER_ID = /^[A-Z]{2}\.[A-Za-z0-9.]{1,140}$/

export function identityOf({ from, userId, isPhoneHidden }: Omit<Customer, 'number'>): Identity {
  if (userId !== undefined && !USER_ID.test(userId))
    throw simulationImpossible({ says: `"${userId}" is not a user id; one looks like ID.134911234567890.` })
  if (from === null) {
    if (userId === undefined) throw simulationImpossible({ says: 'Say who writes: a phone, or a user id.' })
    return { id: userId, phone: null, userId, addresses: [userId] }
  }
  const digits = from.replaceAll(/\D/g, '')
  if (!PHONE.test(digits)) throw simulationImpossible({ says: `"${from}" is not a phone in international form.` })
  const behaviour = behaviourOf({ phone: digits, userId: null })
  const known = userId ?? userIdOf(digits)
  const reported = behaviour.reportedPhone ?? digits
  const isHidden = isPhoneHidden ?? behaviour.isPhoneHidden ?? false
  return { id: digits, phone: isHidden ? null : reported, userId: known, addresses: [digits, known, reported] }
}

export const writerOf = (
  number: ChannelNumber,
  { id, phone, userId }: Identity,
  { name, username, messages, now }: Pick<Customer, 'name' | 'username'> & { messages: number; now: Date },
): Writer => ({
  numberId: number.id,
  id,
  phone,
  user_id: userId,
  username: username?.replace(/^@/, '') ?? null,
  name: name ?? null,
  fallbackName: nameOf(seedOf(number), id),
  messages,
  now,
})
