import type { Clock } from '../../../kernel/clock.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { ChannelNumber } from '../../channel-connector.ts'
import { errorWithCode } from './network-errors.ts'
import { userIdOf } from './seeded.ts'
import { deleteObject, listObjects, putObject } from './simulator.sql.ts'
import type { ListedStatus } from './status-scripts.ts'
import { type Behaviour, ordinary, type SendAnswer } from './test-numbers.ts'

/**
 * What a test sets for a number or for one recipient: how the network answers a message, and what it reports about it. A
 * rule of the recipient takes precedence over the published meaning of the phone number, and that over a rule of the number.
 */
export type Rule = {
  /** Refuses the message with this error code of Meta: so many times, or always. */
  refuse?: { error_code: number; times?: number | undefined; retry_after_seconds?: number | undefined } | undefined
  /** What happens to the request: its response is lost, the request is lost, or the network is slow. */
  connection?: Connection | undefined
  statuses?: ListedStatus[] | undefined
}

export const CONNECTIONS = ['response_lost', 'request_lost', 'slow'] as const
export type Connection = (typeof CONNECTIONS)[number]

/** `to` is a phone or a user id; null for the whole number. */
export type RuleFor = { to: string | null; rule: Rule }

export const RULE = 'rule'
/** In place of a recipient: the rule of the whole number. */
export const EVERYONE = '*'

const ANSWERS: Record<Connection, SendAnswer> = {
  response_lost: { kind: 'accepts_silently' },
  request_lost: { kind: 'loses' },
  slow: { kind: 'accepts_slowly' },
}

export function behaviourOfRule({ refuse, connection, statuses }: Rule): Behaviour {
  const script = statuses ?? ordinary.script
  if (refuse === undefined) return { answer: connection === undefined ? ordinary.answer : ANSWERS[connection], script }
  const { error_code: code, times = null, retry_after_seconds: seconds } = refuse
  const retry = seconds === undefined ? {} : { retryAfterMs: seconds * 1000 }
  return { answer: { kind: 'refuses', error: errorWithCode(code), times, ...retry }, script }
}

/** By user id, which names also those who hide their phone. */
const idOf = (to: string | null): string =>
  to === null ? EVERYONE : /^\+?\d+$/.test(to) ? userIdOf(to.replace('+', '')) : to

const placeOf = ({ orgId, id: numberId }: ChannelNumber) => ({ orgId, numberId, kind: RULE })

type RuleOptions = { database: Database; clock: Clock }

/** An empty rule removes the one that was set. */
export async function setRule({ database, clock }: RuleOptions, number: ChannelNumber, { to, rule }: RuleFor) {
  const isEmpty = Object.values(rule).every((member) => member === undefined)
  if (isEmpty) await deleteObject(database, placeOf(number), idOf(to))
  else await putObject(database, placeOf(number), { id: idOf(to), value: { to, rule }, now: new Date(clock.now()) })
}

export const listRules = async (
  { database }: Pick<RuleOptions, 'database'>,
  number: ChannelNumber,
): Promise<RuleFor[]> => (await listObjects(database, placeOf(number))).map(({ value }) => value as RuleFor)
