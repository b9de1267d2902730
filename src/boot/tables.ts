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
  'api_keys',
  'approvals',
  'audit_checkpoints',
  'audit_entries',
  'audit_heads',
  'channel_journal',
  'channel_numbers',
  'channel_reports',
  'chat_labels',
  'chats',
  'contact_identities',
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
  'order_notices',
  'orders',
  'outbox_entries',
  'outbox_grants',
  'outbox_key_gaps',
  'outbox_lanes',
  'outbox_later',
  'parked_events',
  'payment_accounts',
  'payment_ledger',
  'payment_notices',
  'payments',
  'refunds',
  'request_logs',
  'simulator_files',
  'simulator_messages',
  'simulator_objects',
  'simulator_people',
  'webhook_attempts',
  'webhook_certifications',
  'webhook_deliveries',
  'webhook_endpoints',
  'webhook_recoveries',
  'webhook_secrets',
]

/** Rows of one organization each that every node needs whole: `organizations` by its id, the others by `org_id`. */
export const lookupTables: readonly string[] = ['channel_number_routes', 'invitations', 'memberships', 'organizations']

/** Rows that belong to no organization: people and programs, which may have several, and the installation. */
export const globalTables: readonly string[] = [
  'account_revisions',
  'oauth_access_tokens',
  'oauth_clients',
  'oauth_consents',
  'oauth_refresh_tokens',
  'oauth_resources',
  'passkeys',
  'people',
  'person_credentials',
  'person_verifications',
  'processes',
  'schema_migrations',
  'second_factors',
  'secret_key_check',
  'sessions',
  'sign_in_limits',
]

/** The column that names the organization of a row. */
export const orgColumnOf = (table: string): 'id' | 'org_id' => (table === 'organizations' ? 'id' : 'org_id')
