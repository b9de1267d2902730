import type { Queries, Tx } from '../../platform/database/database.ts'

export type OAuthClientRow = {
  id: string
  client_id: string
  name: string
  /** JSON, as the library reads it. */
  redirect_uris: string
  is_from_document: boolean
  created_at: Date
  updated_at: Date
}

export type NewOAuthClient = OAuthClientRow & { scopes: string; grant_types: string }

const columns = ({ part }: Queries) => part`
  id, client_id, name, redirect_uris, is_from_document, created_at, updated_at`

/** What a document says now takes the place of what it said before. */
export const upsertClient = (queries: Queries, row: NewOAuthClient) => queries.one<OAuthClientRow>`
  insert into oauth_clients (id, client_id, name, redirect_uris, scopes, grant_types, token_endpoint_auth_method,
    is_from_document, created_at, updated_at)
  values (${row.id}, ${row.client_id}, ${row.name}, ${row.redirect_uris}, ${row.scopes}, ${row.grant_types}, 'none',
    ${row.is_from_document}, ${row.created_at}, ${row.updated_at})
  on conflict (client_id) do update
    set name = excluded.name, redirect_uris = excluded.redirect_uris, scopes = excluded.scopes,
      updated_at = excluded.updated_at
  returning ${columns(queries)}`

export const findClient = (queries: Queries, clientId: string) => queries.maybeOne<OAuthClientRow>`
  select ${columns(queries)} from oauth_clients where client_id = ${clientId}`

/** Counts the clients without any consent. */
export const countUnauthorizedClients = async (
  queries: Queries,
  { isFromDocument, countMax }: { isFromDocument: boolean; countMax: number },
) =>
  (
    await queries.one<{ count: number }>`
      select count(*)::int as count from (
        select 1 from oauth_clients
        where is_from_document = ${isFromDocument}
          and not exists (select 1 from oauth_consents where oauth_consents.client_id = oauth_clients.client_id)
        limit ${countMax}
      ) as unauthorized`
  ).count

export const deleteUnauthorizedClients = async (
  queries: Queries,
  { before, rowsMax }: { before: Date; rowsMax: number },
) =>
  (
    await queries.many`
      delete from oauth_clients where id in (
        select id from oauth_clients
        where created_at < ${before} and updated_at < ${before}
          and not exists (select 1 from oauth_consents where oauth_consents.client_id = oauth_clients.client_id)
        order by created_at limit ${rowsMax})
      returning id`
  ).length

/** What was agreed stays on record: by that the program is still known when its person connects it again. */
export const deleteTokensOf = async (tx: Tx, reference: string): Promise<void> => {
  await tx.run`delete from oauth_access_tokens where reference = ${reference}`
  await tx.run`delete from oauth_refresh_tokens where reference = ${reference}`
}

export const deleteExpiredAccessTokens = async (
  queries: Queries,
  { before, rowsMax }: { before: Date; rowsMax: number },
) =>
  (
    await queries.many`
      delete from oauth_access_tokens where id in (
        select id from oauth_access_tokens where expires_at < ${before} order by expires_at limit ${rowsMax})
      returning id`
  ).length

/** An exchanged token stays until it expires, because a later use of it reveals a theft. */
export const deleteExpiredRefreshTokens = async (
  queries: Queries,
  { before, rowsMax }: { before: Date; rowsMax: number },
) =>
  (
    await queries.many`
      delete from oauth_refresh_tokens where id in (
        select id from oauth_refresh_tokens where expires_at < ${before} order by expires_at limit ${rowsMax})
      returning id`
  ).length

export const forgetReplays = (queries: Queries, before: Date) => queries.run`
  update oauth_refresh_tokens set replay_answer = null where replay_answer is not null and replay_expires_at < ${before}`
