/**
 * Every table of the schema, by whose rows it holds. Backups, exports of an organization and whatever else goes through all tables of an
 * organization read this list, so a new table is declared once. The structure test compares it with the schema.
 */

/** Rows of one organization each, by `org_id`: these can be spread over the shards of a cluster. */
export const tenantTables: readonly string[] = [
  'agent_acts',
  'agent_connections',
  'agent_sessions',
  'agents',
  'alerts',
  'api_keys',
  'approvals',
  'audit_checkpoints',
  'audit_entries',
  'audit_heads',
  'auto_replies',
  'broadcast_recipients',
  'broadcasts',
  'channel_journal',
  'channel_numbers',
  'channel_reports',
  'chat_labels',
  'chats',
  'contact_consents',
  'contact_erasures',
  'contact_identities',
  'contact_notes',
  'contacts',
  'event_backlog',
  'event_counters',
  'events',
  'hourly_summaries',
  'idempotency_keys',
  'media',
  'media_uploads',
  'message_states',
  'message_statuses_parked',
  'messages',
  'order_counters',
  'order_document_counters',
  'order_documents',
  'order_notices',
  'orders',
  'organization_homes',
  'organization_logos',
  'outbox_entries',
  'outbox_grants',
  'outbox_key_gaps',
  'outbox_lanes',
  'outbox_later',
  'parked_events',
  'payment_accounts',
  'payment_ledger',
  'payment_links',
  'payment_notices',
  'payment_settlements',
  'payments',
  'products',
  'refunds',
  'request_logs',
  'saved_replies',
  'saved_views',
  'simulator_files',
  'simulator_messages',
  'simulator_objects',
  'simulator_people',
  'statement_lines',
  'stock_reservations',
  'webhook_attempts',
  'webhook_certifications',
  'webhook_deliveries',
  'webhook_endpoints',
  'webhook_recoveries',
  'webhook_secrets',
]

/** Rows of one organization each that are looked up before it is known: `organizations` by its id, the others by `org_id`. */
export const lookupTables: readonly string[] = [
  'api_key_uses',
  'channel_number_routes',
  'invitations',
  'memberships',
  'organizations',
  'payment_account_routes',
]

/** Rows that belong to no organization: people and programs, which may have several, and the installation. */
export const globalTables: readonly string[] = [
  'account_revisions',
  'alert_opt_outs',
  'oauth_access_tokens',
  'oauth_clients',
  'oauth_consents',
  'oauth_refresh_tokens',
  'oauth_resources',
  'passkeys',
  'people',
  'person_credentials',
  'person_verifications',
  'platform_keys',
  'processes',
  'schema_migrations',
  'second_factors',
  'secret_key_check',
  'sessions',
  'sign_in_limits',
]

/** The column that names the organization of a row. */
export const orgColumnOf = (table: string): 'id' | 'org_id' => (table === 'organizations' ? 'id' : 'org_id')

/**
 * Where the rows of a table live when the database is a Citus cluster (`npx nexkit cluster distribute`):
 *
 *   organization   spread over the workers by org_id. All rows of one organization are on one shard, outbox included, so that a
 *                  request is a transaction on one shard. Every key begins with org_id, and every statement names one organization.
 *   reference      copied to every node: look-ups that are rarely written.
 *   local          on the coordinator only: people and their sessions, and what processes know of each other.
 */
export type TablePlace = 'organization' | 'reference' | 'local'

const referenceTables: readonly string[] = [
  'api_keys',
  'channel_number_routes',
  'organizations',
  'payment_account_routes',
]

export const placeOf = (table: string): TablePlace => {
  if (referenceTables.includes(table)) return 'reference'
  return tenantTables.includes(table) ? 'organization' : 'local'
}
