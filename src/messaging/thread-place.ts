/**
 * Where a message stands in its thread. Whoever adds one holds the lock of the chat, but took its time and its id before
 * that: somebody else may have been faster. It then goes right behind what is there, so that the newest message of a chat
 * is always the last one that was added.
 */
export type ThreadEnd = { last_activity_at: Date; last_message_id: string | null }

export function placeAfter(end: ThreadEnd, id: string, now: Date): Date {
  const endMs = end.last_activity_at.getTime()
  if (now.getTime() > endMs || end.last_message_id === null) return now.getTime() > endMs ? now : end.last_activity_at
  return id > end.last_message_id ? end.last_activity_at : new Date(endMs + 1)
}
