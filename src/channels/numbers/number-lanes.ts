import type { Id, OrgId } from '../../kernel/ids.ts'
import type { LaneOptions } from '../../platform/outbox/lanes.ts'
import type { ChannelTraits } from '../channel-connector.ts'

/**
 * The lanes of the outbox that a number has.
 *
 *   the number's own   what is to be sent: ordered by chat, paced, and stands still while the number is paused
 *   its lane in        batches the network reported. They run side by side: applying them needs no order
 *   its media lane     files to fetch from the network, which keeps them for days only
 */
export const sendLaneOf = (numberId: string): string => numberId
export const inboundLaneOf = (numberId: string): string => `${numberId}:in`
export const mediaLaneOf = (numberId: string): string => `${numberId}:media`
export const numberOfLane = (laneId: string): Id<'num'> => laneId.split(':')[0] as Id<'num'>

/**
 * 80 messages a second, each a fifth of a second on the way, are 16 at a time; with room for a slow day twice that. A number that
 * may send faster has as many as its organization may have in flight at all.
 */
const SENDS_AT_ONCE = { least: 32, most: 64, perSecond: 0.4 }
/** They are applied together as far as they wait at the same time. */
const BATCHES_AT_ONCE_MAX = 64
const DOWNLOADS_AT_ONCE_MAX = 4

type Paced = { settings: Readonly<Record<string, unknown>> }

const numberOr = (value: unknown, fallback: number) => (typeof value === 'number' ? value : fallback)

export const sendLaneSettings = ({ settings }: Paced, traits: ChannelTraits) => {
  const ratePerSecond = numberOr(settings.messages_per_second, traits.messagesPerSecondMax)
  return {
    concurrencyMax: sendsAtOnce(ratePerSecond),
    isAdaptive: true,
    hasBreaker: true,
    ordering: 'by_key' as const,
    ratePerSecond,
    keyGapMs: numberOr(settings.pair_gap_ms, 0),
  }
}

const sendsAtOnce = (ratePerSecond: number): number => {
  const { least, most, perSecond } = SENDS_AT_ONCE
  return Math.min(most, Math.max(least, Math.ceil(ratePerSecond * perSecond)))
}

export const numberLanes = (number: Paced & { org_id: OrgId; id: Id<'num'> }, traits: ChannelTraits): LaneOptions[] => {
  const plain = { orgId: number.org_id, isAdaptive: false, hasBreaker: false, ordering: 'none' as const }
  return [
    { id: sendLaneOf(number.id), orgId: number.org_id, kind: 'channel send', ...sendLaneSettings(number, traits) },
    { id: inboundLaneOf(number.id), kind: 'channel inbound', concurrencyMax: BATCHES_AT_ONCE_MAX, ...plain },
    { id: mediaLaneOf(number.id), kind: 'channel media', concurrencyMax: DOWNLOADS_AT_ONCE_MAX, ...plain },
  ]
}
