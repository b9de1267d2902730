import type { ChatPlace } from '../../messaging/chats/chats.ts'
import type { AgentRow } from '../records/agents.sql.ts'

/**
 * How far an agent sees and writes: on which business numbers, in chats with which labels, how far back. What lies outside is
 * not there for it.
 */
export type Reach = Pick<AgentRow, 'reach_numbers' | 'reach_labels' | 'reach_days'>

const DAY_MS = 24 * 3600 * 1000

export const isNarrowed = ({ reach_numbers, reach_labels, reach_days }: Reach): boolean =>
  reach_numbers.length > 0 || reach_labels.length > 0 || reach_days !== null

export const isNumberReached = ({ reach_numbers }: Reach, numberId: string): boolean =>
  reach_numbers.length === 0 || reach_numbers.includes(numberId)

export const isRecent = ({ reach_days }: Reach, at: Date, nowMs: number): boolean =>
  reach_days === null || at.getTime() >= nowMs - reach_days * DAY_MS

type Place = Pick<ChatPlace, 'number_id' | 'labels' | 'last_activity_at'>

export const isChatReached = (reach: Reach, chat: Place, nowMs: number): boolean =>
  isNumberReached(reach, chat.number_id) &&
  (reach.reach_labels.length === 0 || chat.labels.some((label) => reach.reach_labels.includes(label))) &&
  isRecent(reach, chat.last_activity_at, nowMs)
