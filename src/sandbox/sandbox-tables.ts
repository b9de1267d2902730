/** What a reset keeps, and which times the clock of a sandbox moves. The structure test compares both with the schema. */

/** The configuration of a sandbox, and its audit log, which is append-only. A reset deletes the rows of all other tables. */
export const keptTables: readonly string[] = [
  'agent_connections',
  'agents',
  'api_keys',
  'audit_checkpoints',
  'audit_entries',
  'audit_heads',
  'channel_numbers',
  // Sequences go on after a reset, so that a reader who remembers the last one misses nothing.
  'event_counters',
  'organization_homes',
  'organization_logos',
  'payment_accounts',
  'saved_replies',
  'saved_views',
  'webhook_endpoints',
  'webhook_secrets',
]

/** platform/outbox clears and hastens its tables together. */
export const outboxTables: readonly string[] = [
  'outbox_entries',
  'outbox_grants',
  'outbox_key_gaps',
  'outbox_lanes',
  'outbox_later',
]

/** Tables that refer to others, in the order of their deletion. */
const REFERRING = ['chat_labels', 'chats', 'contact_identities', 'media_uploads']

/** In the order of deletion. */
export const deletedTables = (tenantTables: readonly string[]): string[] => {
  const stays = new Set([...keptTables, ...outboxTables, ...REFERRING])
  return [...REFERRING, ...tenantTables.filter((table) => !stays.has(table))]
}

/**
 * A deadline is a moment that something waits for; it moves while it lies ahead. An anchor is a moment that something is counted
 * from, such as the last message of a customer for the reply window; it always moves. Times that only say when something
 * happened stay, and so do the ages that retention and idempotency keys go by.
 */
export type MovedTimes = { deadlines?: readonly string[]; anchors?: readonly string[] }

export const movedTimes: Readonly<Record<string, MovedTimes>> = {
  agent_acts: { anchors: ['at'] },
  agent_sessions: { anchors: ['seen_at'] },
  agents: { deadlines: ['expires_at'] },
  api_keys: { deadlines: ['expires_at'] },
  approvals: { deadlines: ['expires_at'] },
  broadcast_recipients: { anchors: ['sent_at'] },
  broadcasts: { deadlines: ['send_at'] },
  chats: { anchors: ['last_inbound_at'] },
  media_uploads: { deadlines: ['expires_at'] },
  message_states: { anchors: ['unknown_since'] },
  messages: { deadlines: ['send_at'] },
  orders: { deadlines: ['choice_expires_at', 'due_at'] },
  payment_links: { deadlines: ['expires_at'] },
  payments: { deadlines: ['expires_at'] },
  simulator_people: { anchors: ['last_wrote_at'] },
  webhook_deliveries: { deadlines: ['next_attempt_at'] },
  webhook_endpoints: { anchors: ['degraded_at'] },
  webhook_secrets: { deadlines: ['expires_at'] },
}
