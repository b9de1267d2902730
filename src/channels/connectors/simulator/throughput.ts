import type { Clock } from '../../../kernel/clock.ts'
import { RecentMap } from '../../../kernel/recent-map.ts'
import type { ChannelNumber } from '../../channel-connector.ts'

/** Meta accepts 80 messages a second from one number, and a little more for a moment. */
const PER_SECOND = 80
const BURST = 2 * PER_SECOND
const NUMBERS_MAX = 10_000

/**
 * Whether a number may send one more message now. Counted per process: several processes together let a number send more,
 * but each of them paces itself by the number's lane, which they share.
 */
export function createThroughput(clock: Clock): (number: Pick<ChannelNumber, 'id'>) => boolean {
  const turns = new RecentMap<string, { left: number; atMs: number }>({ sizeMax: NUMBERS_MAX })
  return ({ id }) => {
    const nowMs = clock.now()
    const { left, atMs } = turns.get(id) ?? { left: BURST, atMs: nowMs }
    const refilled = Math.min(BURST, left + ((nowMs - atMs) * PER_SECOND) / 1000)
    turns.set(id, { left: refilled < 1 ? refilled : refilled - 1, atMs: nowMs })
    return refilled >= 1
  }
}
