import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { unsizedList } from '../../platform/database/plain-lists.ts'
import { deleteByOrganization } from '../../platform/database/sweep.ts'
import type { NumberState } from './numbers.schemas.ts'

export type NumberReport = { event: string | null; detail: string; is_trouble: boolean; at: string }

export type NumberRow = {
  org_id: OrgId
  id: Id<'num'>
  connector: string
  phone_number_id: string
  display_phone: string
  name: string
  base_url: string | null
  sealed_credentials: string | null
  settings: Record<string, unknown>
  is_default: boolean
  state: NumberState
  state_reason: string | null
  state_changed_at: Date
  last_event_at: Date | null
  last_error_code: string | null
  last_error: string | null
  last_error_at: Date | null
  /** The last report of each kind, by field of the webhook. */
  reports: Record<string, NumberReport>
  version: number
  created_at: Date
  updated_at: Date
}

const columns = (queries: Queries) => queries.part`
  org_id, id, connector, phone_number_id, display_phone, name, base_url, sealed_credentials, settings, is_default, state,
  state_reason, state_changed_at, last_event_at, last_error_code, last_error, last_error_at, reports, version, created_at, updated_at`

export type NewNumberRow = Pick<
  NumberRow,
  | 'id'
  | 'connector'
  | 'phone_number_id'
  | 'display_phone'
  | 'name'
  | 'base_url'
  | 'sealed_credentials'
  | 'settings'
  | 'is_default'
  | 'created_at'
>

/**
 * A number that was disconnected comes back under its old id, with all its chats; one that is connected stays as it is and
 * nothing is returned.
 */
export const insertNumber = (tx: Tx, orgId: OrgId, row: NewNumberRow) => tx.maybeOne<NumberRow>`
  insert into channel_numbers (org_id, id, connector, phone_number_id, display_phone, name, base_url, sealed_credentials,
    settings, is_default, state_changed_at, created_at, updated_at)
  values (${orgId}, ${row.id}, ${row.connector}, ${row.phone_number_id}, ${row.display_phone}, ${row.name},
    ${row.base_url}, ${row.sealed_credentials}, ${JSON.stringify(row.settings)}::text::jsonb, ${row.is_default}, ${row.created_at}, ${row.created_at},
    ${row.created_at})
  on conflict on constraint channel_numbers_phone_number_id_key do nothing
  returning ${columns(tx)}`

/** The state in the where clause is the lock. The credentials are sealed for the id that is there. */
export const reconnectNumber = (tx: Tx, orgId: OrgId, row: NewNumberRow) => tx.maybeOne<NumberRow>`
  update channel_numbers
  set display_phone = ${row.display_phone}, name = ${row.name}, base_url = ${row.base_url},
      sealed_credentials = ${row.sealed_credentials}, settings = ${JSON.stringify(row.settings)}::text::jsonb,
      is_default = ${row.is_default},
      state = 'connected', state_reason = null, state_changed_at = ${row.created_at}, updated_at = ${row.created_at},
      last_error_code = null, last_error = null, last_error_at = null, version = version + 1
  where org_id = ${orgId} and id = ${row.id} and connector = ${row.connector} and state = 'disconnected'
  returning ${columns(tx)}`

export const findNumber = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<NumberRow>`
  select ${columns(queries)} from channel_numbers where org_id = ${orgId} and id = ${id}`

export const findNumberByPhoneNumberId = (queries: Queries, orgId: OrgId, phoneNumberId: string) =>
  queries.maybeOne<NumberRow>`
    select ${columns(queries)} from channel_numbers where org_id = ${orgId} and phone_number_id = ${phoneNumberId}`

/** The one marked as default; else the oldest connected one; else the oldest that is paused, whose messages wait. */
export const findDefaultNumber = (queries: Queries, orgId: OrgId) => queries.maybeOne<NumberRow>`
  select ${columns(queries)} from channel_numbers where org_id = ${orgId} and state <> 'disconnected'
  order by is_default desc, state = 'connected' desc, id limit 1`

/** Oldest first; an organization has a handful. */
export const listNumbers = (queries: Queries, orgId: OrgId) => queries.many<NumberRow>`
  select ${columns(queries)} from channel_numbers where org_id = ${orgId} order by id`

export const lockNumber = (tx: Tx, orgId: OrgId, id: string) => tx.maybeOne<NumberRow>`
  select ${columns(tx)} from channel_numbers where org_id = ${orgId} and id = ${id} for update`

/** For the cache of opened numbers. */
export const listNumberVersions = (queries: Queries, orgId: OrgId, ids: string[]) =>
  queries.many<{ id: Id<'num'>; version: number }>`
    select id, version from channel_numbers
    where org_id = ${orgId} and id = any(${unsizedList(queries, queries.part`${ids}::text[]`)}) and state <> 'disconnected'`

export const listNumbersById = (queries: Queries, orgId: OrgId, ids: string[]) => queries.many<NumberRow>`
  select ${columns(queries)} from channel_numbers where org_id = ${orgId} and id = any(${ids})`

/** Whose a number is. Disconnected numbers have no route. */
export const findNumberOwner = async (queries: Queries, id: string): Promise<OrgId | null> =>
  (await queries.maybeOne<{ org_id: OrgId }>`select org_id from channel_number_routes where number_id = ${id}`)
    ?.org_id ?? null

export type NumberDetails = Pick<
  NumberRow,
  'display_phone' | 'name' | 'base_url' | 'sealed_credentials' | 'settings' | 'is_default'
>

export const updateNumberDetails = (
  tx: Tx,
  orgId: OrgId,
  { id, details, now }: { id: string; details: NumberDetails; now: Date },
) => tx.one<NumberRow>`
  update channel_numbers
  set display_phone = ${details.display_phone}, name = ${details.name}, base_url = ${details.base_url},
      sealed_credentials = ${details.sealed_credentials}, settings = ${JSON.stringify(details.settings)}::text::jsonb,
      is_default = ${details.is_default}, version = version + 1, updated_at = ${now}
  where org_id = ${orgId} and id = ${id}
  returning ${columns(tx)}`

/** At most one number of an organization is the default. */
export const clearDefaultNumber = (tx: Tx, orgId: OrgId, exceptId: string) => tx.run`
  update channel_numbers set is_default = false where org_id = ${orgId} and is_default and id <> ${exceptId}`

export type NumberMove = { id: string; from: NumberState[]; to: NumberState; reason: string | null; now: Date }

/** The state in the where clause is the lock: of two callers, one gets a row. */
export const moveNumber = (tx: Tx, orgId: OrgId, move: NumberMove) => tx.maybeOne<NumberRow>`
  update channel_numbers
  set state = ${move.to}, state_reason = ${move.reason}, state_changed_at = ${move.now}, updated_at = ${move.now},
      sealed_credentials = case when ${move.to} = 'disconnected' then null else sealed_credentials end,
      is_default = is_default and ${move.to} <> 'disconnected', version = version + 1
  where org_id = ${orgId} and id = ${move.id} and state = any(${move.from})
  returning ${columns(tx)}`

export type NumberSigns = {
  ids: string[]
  eventTimes: (Date | null)[]
  errorCodes: (string | null)[]
  errors: (string | null)[]
  errorTimes: (Date | null)[]
}

/** Signs of life and of trouble of several numbers at once. An older sign never replaces a newer one. */
export const noteNumberSigns = (queries: Queries, orgId: OrgId, signs: NumberSigns) => queries.run`
  update channel_numbers number
  set last_event_at = greatest(number.last_event_at, sign.event_at),
      last_error_code = case when sign.is_newer then sign.error_code else number.last_error_code end,
      last_error = case when sign.is_newer then sign.error else number.last_error end,
      last_error_at = case when sign.is_newer then sign.error_at else number.last_error_at end
  from (
    select given.*, given.error_at is not null
      and given.error_at >= coalesce(existing.last_error_at, '-infinity') as is_newer
    from unnest(${signs.ids}::text[], ${signs.eventTimes}::timestamptz[],
      ${signs.errorCodes}::text[], ${signs.errors}::text[], ${signs.errorTimes}::timestamptz[])
      as given (id, event_at, error_code, error, error_at)
    join channel_numbers existing on existing.org_id = ${orgId} and existing.id = given.id
  ) sign
  where number.org_id = ${orgId} and number.id = sign.id`

/** An older report never replaces a newer one. */
export const saveNumberReport = (
  tx: Tx,
  orgId: OrgId,
  { ids, field, report }: { ids: readonly string[]; field: string; report: NumberReport },
) => tx.run`
  update channel_numbers set reports = reports || jsonb_build_object(${field}::text, ${JSON.stringify(report)}::text::jsonb)
  where org_id = ${orgId} and id = any(${[...ids]}) and coalesce(reports -> ${field}::text ->> 'at', '') <= ${report.at}`

/** The network reports that what the last error says is over. */
export const clearNumberError = (
  tx: Tx,
  orgId: OrgId,
  { ids, code }: { ids: readonly string[]; code: string },
) => tx.run`
  update channel_numbers set last_error_code = null, last_error = null, last_error_at = null
  where org_id = ${orgId} and id = any(${[...ids]}) and last_error_code = ${code}`

/** Returns 0 when the report was recorded before. */
export const insertReport = (
  tx: Tx,
  orgId: OrgId,
  { numberId, hash, now }: { numberId: string; hash: string; now: Date },
) => tx.run`
  insert into channel_reports (org_id, number_id, hash, reported_at) values (${orgId}, ${numberId}, ${hash}, ${now})
  on conflict do nothing`

/** Of all organizations, oldest first: the network repeats a report for a week. */
export const deleteOldReports = async (tx: Tx, { before, rowsMax }: { before: Date; rowsMax: number }) => {
  const old = await tx.many<{ org_id: OrgId; number_id: string; hash: string }>`
    select org_id, number_id, hash from channel_reports
    where reported_at < ${before} order by reported_at limit ${rowsMax}`
  return deleteByOrganization(
    old,
    (orgId, rows) => tx.run`
      delete from channel_reports where org_id = ${orgId} and (number_id, hash) in (
        select number_id, hash from channel_reports
        where org_id = ${orgId} and (number_id, hash) in (
          select * from unnest(${rows.map((row) => row.number_id)}::text[], ${rows.map((row) => row.hash)}::text[]))
        for update skip locked)`,
  )
}

export type NumberRoute = { number_id: Id<'num'>; org_id: OrgId; connector: string; address: string | null }

export const insertNumberRoute = (tx: Tx, route: NumberRoute) => tx.run`
  insert into channel_number_routes (number_id, org_id, connector, address)
  values (${route.number_id}, ${route.org_id}, ${route.connector}, ${route.address})
  on conflict do nothing`

export const deleteNumberRoute = (tx: Tx, numberId: string) => tx.run`
  delete from channel_number_routes where number_id = ${numberId}`

/** Over all organizations: for the metrics of the operator. */
export const countNumbers = (queries: Queries) => queries.one<Record<NumberState, number>>`
  select count(org_id) filter (where state = 'connected')::int as connected,
    count(org_id) filter (where state = 'paused')::int as paused,
    count(org_id) filter (where state = 'disconnected')::int as disconnected
  from channel_numbers`

export type UploadPlace = { mediaId: string; numberId: string }

export const findUpload = (queries: Queries, orgId: OrgId, { mediaId, numberId, now }: UploadPlace & { now: Date }) =>
  queries.maybeOne<{ provider_media_id: string }>`
    select provider_media_id from media_uploads
    where org_id = ${orgId} and media_id = ${mediaId} and number_id = ${numberId} and expires_at > ${now}`

export const upsertUpload = (
  queries: Queries,
  orgId: OrgId,
  upload: UploadPlace & { providerMediaId: string; now: Date; expiresAt: Date },
) => queries.run`
  insert into media_uploads (org_id, media_id, number_id, provider_media_id, created_at, expires_at)
  values (${orgId}, ${upload.mediaId}, ${upload.numberId}, ${upload.providerMediaId}, ${upload.now}, ${upload.expiresAt})
  on conflict on constraint media_uploads_pkey do update
  set provider_media_id = excluded.provider_media_id, created_at = excluded.created_at, expires_at = excluded.expires_at`

export const deleteUploadsOf = (queries: Queries, orgId: OrgId, numberId: string) => queries.run`
  delete from media_uploads where org_id = ${orgId} and number_id = ${numberId}`
