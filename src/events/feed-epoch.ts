import type { OrgId } from '../kernel/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { advanceEpoch } from './events.sql.ts'

/**
 * An epoch is a billion sequences. When events may have been lost (a backup was restored, an organization was imported), the feed goes on
 * with the first sequence of the next epoch. No sequence is ever given to two events, so a receiver that compares sequences takes none of
 * the new events for old, and a reader of the feed is refused once, with `events_expired`, instead of reading past the cut.
 */
export const EPOCH_SEQUENCES = 1_000_000_000

export const epochOf = (sequence: number): number => Math.floor(sequence / EPOCH_SEQUENCES)

export const beginFeedEpoch = (tx: Tx, orgId: OrgId): Promise<number> => advanceEpoch(tx, orgId, EPOCH_SEQUENCES)
