import type { Queries } from '../database/queries.ts'

type Part = ReturnType<Queries['part']>

/**
 * A time of a column, moved by an interval. A plain sum is the same to one PostgreSQL, but it counts as dependent on the setting of the
 * time zone, and Citus lets no update compute a column from others by anything that depends on settings.
 */
export const shiftTime = (queries: Queries, time: Part, interval: Part): Part =>
  queries.part`((${time} at time zone 'UTC') + ${interval}) at time zone 'UTC'`

/** The milliseconds of the time since 1970, for the same reason. */
export const epochMs = (queries: Queries, time: Part): Part =>
  queries.part`(extract(epoch from (${time} at time zone 'UTC')) * 1000)::bigint`
