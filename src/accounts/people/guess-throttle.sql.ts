import type { Queries } from '../../platform/database/database.ts'

export type Spending = { key: string; nowMs: number; intervalMs: number; capacityMs: number }

/**
 * No row when the limit is used up. The bound on the stored time keeps a clock that was set back from refusing for long. The id is
 * random, so that two first attempts at once meet in `key` alone, which is the conflict that is handled.
 */
export const spendGuess = (queries: Queries, { key, nowMs, intervalMs, capacityMs }: Spending) =>
  queries.maybeOne<{ last_request: number }>`
    insert into sign_in_limits as held (id, key, count, last_request)
    values (gen_random_uuid()::text, ${key}, 0, ${nowMs + intervalMs})
    on conflict (key) do update
      set last_request = least(greatest(held.last_request, ${nowMs}::bigint), ${nowMs + capacityMs}::bigint) + ${intervalMs}::bigint
      where least(greatest(held.last_request, ${nowMs}::bigint), ${nowMs + capacityMs}::bigint) + ${intervalMs}::bigint
        <= ${nowMs + capacityMs}::bigint
    returning last_request`

export const findSpent = (queries: Queries, key: string) =>
  queries.maybeOne<{ last_request: number }>`select last_request from sign_in_limits where key = ${key}`

export const refundGuess = (queries: Queries, key: string, intervalMs: number) =>
  queries.run`update sign_in_limits set last_request = last_request - ${intervalMs}::bigint where key = ${key}`
