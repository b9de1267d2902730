import { Batches } from '../../../kernel/batches.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { ChannelNumber, ChannelPerson } from '../../channel-connector.ts'
import { EVERYONE, RULE, type Rule } from './rules.ts'
import { userIdOf } from './seeded.ts'
import { listStandings, type StandingObject, type WantedStanding } from './simulator.sql.ts'

/** What the network knows about a recipient at the moment in which it is asked to take a message for them. */
export type Standing = {
  lastWroteAt: Date | null
  /** How many messages it accepted for them within the time that the pair limit looks at. */
  recent: number
  isBlockedByBusiness: boolean
  hasBlockedBusiness: boolean
  hasStoppedMarketing: boolean
  recipientRule: Rule | null
  numberRule: Rule | null
}

export type ReadStanding = (number: ChannelNumber, to: ChannelPerson) => Promise<Standing>

/** Blocked by the business, as its management calls keep them: by phone. */
export const BLOCKED = 'blocked'
/** What a customer has set: `marketing` and `has_blocked`. */
export const PREFERENCES = 'preferences'

/** A pair may have 45 messages at once and one every six seconds from then on. */
export const PAIR_MESSAGES_MAX = 45
const PAIR_WINDOW_MS = PAIR_MESSAGES_MAX * 6_000
const STANDINGS_PER_STATEMENT_MAX = 128

/** A number has the limits of a real one unless its reply window is off. */
export const isStrict = ({ settings }: Pick<ChannelNumber, 'settings'>): boolean => settings.reply_window !== false

type Wanted = WantedStanding & { number: ChannelNumber }

/** Messages that are sent at the same time share one statement. */
export function createStandings({ database, clock }: { database: Database; clock: Clock }): ReadStanding {
  const reads = new Batches<Wanted, Standing>({
    keyOf: ({ number }) => number.orgId,
    itemsMax: STANDINGS_PER_STATEMENT_MAX,
    async work(wanted) {
      const [first] = wanted
      if (first === undefined) return []
      const since = new Date(clock.now() - PAIR_WINDOW_MS)
      const rows = await listStandings(database, first.number.orgId, {
        wanted,
        kinds: [BLOCKED, PREFERENCES, RULE],
        since,
      })
      const byPosition = new Map(rows.map((row) => [row.position, row]))
      return wanted.map((_, index) => {
        const row = byPosition.get(index + 1)
        return standingOf(row?.objects ?? [], row?.last_wrote_at ?? null, row?.recent ?? 0)
      })
    },
  })
  return (number, { phone, userId }) =>
    reads.submit({
      number,
      numberId: number.id,
      recipient: phone ?? userId ?? '',
      isStrict: isStrict(number),
      userId: userId ?? (phone === null ? null : userIdOf(phone)),
      ids: [EVERYONE, phone, userId, phone === null ? null : userIdOf(phone)],
    })
}

function standingOf(objects: readonly StandingObject[], lastWroteAt: Date | null, recent: number): Standing {
  const find = (kind: string) => objects.find((object) => object.kind === kind)?.value
  const ruleOf = (isOfNumber: boolean): Rule | null => {
    const found = objects.find(({ kind, id }) => kind === RULE && (id === EVERYONE) === isOfNumber)
    return (found?.value as { rule: Rule } | undefined)?.rule ?? null
  }
  const preferences = find(PREFERENCES) as { marketing?: string; has_blocked?: boolean } | undefined
  return {
    lastWroteAt,
    recent,
    isBlockedByBusiness: find(BLOCKED) !== undefined,
    hasBlockedBusiness: preferences?.has_blocked === true,
    hasStoppedMarketing: preferences?.marketing === 'stop',
    recipientRule: ruleOf(false),
    numberRule: ruleOf(true),
  }
}
