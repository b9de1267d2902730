import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import type { PaymentProvider } from '../connectors/connectors.ts'
import type { PaymentMethod } from '../payment-connector.ts'

/** Every statement on payment accounts. */
export type PaymentAccountState = 'active' | 'paused' | 'disabled'

export type PaymentAccountRow = {
  org_id: OrgId
  id: Id<'pac'>
  provider: PaymentProvider
  name: string
  state: PaymentAccountState
  state_changed_at: Date
  base_url: string | null
  sealed_credentials: string | null
  settings: Record<string, string>
  methods: PaymentMethod[] | null
  default_methods: PaymentMethod[]
  last_notice_at: Date | null
  last_error_at: Date | null
  last_error: string | null
  version: number
  created_at: Date
  updated_at: Date
}

const columns = (queries: Queries) => queries.part`
  org_id, id, provider, name, state, state_changed_at, base_url, sealed_credentials, settings, methods, default_methods,
  last_notice_at, last_error_at, last_error, version, created_at, updated_at`

const LOCK_SPACE = 7_310_012

/** Serializes changes of an organization's accounts, because the default account of a method depends on all of them. */
export const lockPaymentAccounts = (tx: Tx, orgId: OrgId) =>
  tx.run`select pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(${orgId}))`

export type NewPaymentAccountRow = Omit<
  PaymentAccountRow,
  'org_id' | 'state' | 'last_notice_at' | 'last_error_at' | 'last_error' | 'version'
>

export const insertPaymentAccount = (tx: Tx, orgId: OrgId, row: NewPaymentAccountRow) => tx.one<PaymentAccountRow>`
  insert into payment_accounts (org_id, id, provider, name, state_changed_at, base_url, sealed_credentials, settings,
    methods, default_methods, created_at, updated_at)
  values (${orgId}, ${row.id}, ${row.provider}, ${row.name}, ${row.state_changed_at}, ${row.base_url},
    ${row.sealed_credentials}, ${row.settings}::jsonb, ${row.methods}, ${row.default_methods}, ${row.created_at},
    ${row.updated_at})
  returning ${columns(tx)}`

/** Lists the oldest first: the order in which accounts are tried for a method without a default account. */
export const listPaymentAccounts = (queries: Queries, orgId: OrgId) => queries.many<PaymentAccountRow>`
  select ${columns(queries)} from payment_accounts where org_id = ${orgId} order by id`

export const findPaymentAccount = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<PaymentAccountRow>`
  select ${columns(queries)} from payment_accounts where org_id = ${orgId} and id = ${id}`

export const insertPaymentAccountRoute = (tx: Tx, orgId: OrgId, id: string) => tx.run`
  insert into payment_account_routes (account_id, org_id) values (${id}, ${orgId})`

/** Finds the organization of an incoming notification, whose address names only the account. */
export const findPaymentAccountOwner = (queries: Queries, id: string) => queries.maybeOne<{ org_id: OrgId }>`
  select org_id from payment_account_routes where account_id = ${id}`

/** Reads the versions for the account cache. */
export const listPaymentAccountVersions = (queries: Queries, orgId: OrgId) =>
  queries.many<{ id: Id<'pac'>; version: number }>`
    select id, version from payment_accounts where org_id = ${orgId} order by id`

export type PaymentAccountChange = Pick<
  PaymentAccountRow,
  'id' | 'name' | 'state' | 'base_url' | 'sealed_credentials' | 'settings' | 'methods' | 'default_methods'
> & { now: Date }

export const updatePaymentAccount = (tx: Tx, orgId: OrgId, change: PaymentAccountChange) => tx.one<PaymentAccountRow>`
  update payment_accounts
  set name = ${change.name}, base_url = ${change.base_url}, sealed_credentials = ${change.sealed_credentials},
      settings = ${change.settings}::jsonb, methods = ${change.methods}, default_methods = ${change.default_methods},
      state_changed_at = case when state = ${change.state} then state_changed_at else ${change.now}::timestamptz end,
      state = ${change.state}, version = version + 1, updated_at = ${change.now}
  where org_id = ${orgId} and id = ${change.id}
  returning ${columns(tx)}`

/** Removes these methods from the defaults of the other accounts. */
export const releaseDefaultMethods = (
  tx: Tx,
  orgId: OrgId,
  { exceptId, methods, now }: { exceptId: string; methods: PaymentMethod[]; now: Date },
) => tx.run`
  update payment_accounts
  set default_methods = array(select method from unnest(default_methods) method where method <> all(${methods})),
      version = version + 1, updated_at = ${now}
  where org_id = ${orgId} and id <> ${exceptId} and default_methods && ${methods}`

const HEALTH_STEP = '1 minute'

/** Writes at most once a minute: the time is only displayed, and a busy account receives many notifications a second. */
export const notePaymentNotice = (
  queries: Queries,
  orgId: OrgId,
  { id, now }: { id: string; now: Date },
) => queries.run`
  update payment_accounts set last_notice_at = ${now}
  where org_id = ${orgId} and id = ${id}
    and (last_notice_at is null or last_notice_at < ${now}::timestamptz - ${HEALTH_STEP}::interval)`

export const notePaymentError = (
  queries: Queries,
  orgId: OrgId,
  { id, error, now }: { id: string; error: string; now: Date },
) => queries.run`
  update payment_accounts set last_error_at = ${now}, last_error = left(${error}, 1000)
  where org_id = ${orgId} and id = ${id}
    and (last_error_at is null or last_error is distinct from left(${error}, 1000)
         or last_error_at < ${now}::timestamptz - ${HEALTH_STEP}::interval)`
