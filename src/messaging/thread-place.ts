/**
 * Where a message stands in its thread: `happened_at`, then the id.
 *
 * What a customer wrote stands where the network says it was written, however late we are told and in whatever order it is
 * applied. The network tells whole seconds; within the second it stands at the moment it reached us, and of several that
 * reached us together in the order in which they did: their ids follow the journal.
 */
export function placeOfReport(reportedAt: Date, arrivedAt: Date): Date {
  const [reportedMs, arrivedMs] = [reportedAt.getTime(), arrivedAt.getTime()]
  // A clock that is minutes ahead of ours is wrong, or means harm: it must not hold the end of the thread.
  if (!(reportedMs <= arrivedMs + CLOCKS_APART_MS_MAX)) return arrivedAt
  return new Date(Math.min(Math.max(arrivedMs, reportedMs), reportedMs + 999))
}

const CLOCKS_APART_MS_MAX = 5 * 60_000

/**
 * What we write goes to the end. Whoever adds one holds the lock of the chat, but took its time and its id before
 * that: somebody else may have been faster. It then goes right behind what is there, so that the newest message of a chat
 * is always the last one that was added.
 */
export type ThreadEnd = { last_activity_at: Date; last_message_id: string | null }

export function placeAfter(end: ThreadEnd, id: string, now: Date): Date {
  const endMs = end.last_activity_at.getTime()
  if (now.getTime() > endMs || end.last_message_id === null) return now.getTime() > endMs ? now : end.last_activity_at
  return id > end.last_message_id ? end.last_activity_at : new Date(endMs + 1)
}
