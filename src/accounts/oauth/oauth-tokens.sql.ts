import type { Queries, Tx } from '../../platform/database/database.ts'

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
