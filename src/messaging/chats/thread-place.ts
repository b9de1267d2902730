/**
 * The place of a message in its thread: `happened_at`, then the id.
 *
 * A message of a customer has the place of the time that the network reports, however late it arrives and in whatever order
 * it is applied. The network reports whole seconds; within the second the time of arrival decides, and among messages that
 * arrived together the order of arrival: their ids follow the journal.
 */
export function placeOfReport(reportedAt: Date, arrivedAt: Date): Date {
  const [reportedMs, arrivedMs] = [reportedAt.getTime(), arrivedAt.getTime()]
  // A clock that is minutes ahead of ours is wrong, or means harm: it must not hold the end of the thread.
  if (!(reportedMs <= arrivedMs + CLOCKS_APART_MS_MAX)) return arrivedAt
  return new Date(Math.min(Math.max(arrivedMs, reportedMs), reportedMs + 999))
}

const CLOCKS_APART_MS_MAX = 5 * 60_000

/**
 * An outbound message goes to the end. Its transaction holds the lock of the chat, but its time and id are older than that
 * lock, and another message may have been added meanwhile. It then goes right behind the newest one, so that the newest
 * message of a chat is always the last one that was added.
 */
export type ThreadEnd = { last_activity_at: Date; last_message_id: string | null }

export function placeAfter(end: ThreadEnd, id: string, now: Date): Date {
  const endMs = end.last_activity_at.getTime()
  if (now.getTime() > endMs || end.last_message_id === null) return now.getTime() > endMs ? now : end.last_activity_at
  return id > end.last_message_id ? end.last_activity_at : new Date(endMs + 1)
}
