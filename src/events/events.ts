import type { PartitionedTable } from '../platform/database/daily-partitions.ts'
import { EVENT_RETENTION_DAYS } from './events.sql.ts'
import { isAnyUnfollowed } from './followers.sql.ts'

/**
 * Events: what happened, recorded in the transaction in which it happened.
 *
 *   declare   `defineEvent`, once per type, by the capability that records it
 *   record    `recordEvents`, anywhere in a transaction; events are numbered and written right before its commit
 *   read      the feed of an organization, in the shape that is published now
 *   follow    every event once and in order: while it is recorded, or page by page afterwards
 *   erase     the payload of an event, which keeps its number
 */

export {
  Actor,
  allEventTypes,
  defineEvent,
  EVENT_VERSION,
  type EventActor,
  type EventType,
  envelopeOf,
  findEventType,
  systemActor,
  webhookDescriptions,
} from './event-catalogue.ts'
export { eraseBodies, findNaming, listErasableEvents } from './event-erasure.ts'
export {
  assertJoins,
  type Event,
  findFollowerProgress,
  findLastSequence,
  getEvent,
  listEvents,
  listEventsOfRequest,
  listSubjectsOf,
  listTestEvents,
  lockLastSequence,
} from './event-feed.ts'
export {
  EVERYTHING,
  FILTER_FORM_SAYS,
  filterForm,
  findUnknownFilters,
  matchesEvent,
  namesMatching,
  publishedFilters,
  publishedNames,
  refuseUnknownFilters,
  refuseUnknownKeys,
  refuseUnknownName,
} from './event-filter.ts'
export { currentBody, upgradeEvent, whenAbsent } from './event-upgrade.ts'
export { eventRoutes } from './events.routes.ts'
/** Many rows at a time, for what is sent to webhook endpoints. */
export {
  type ErasableEvent,
  EVENT_RETENTION_DAYS,
  type EventBody,
  type EventHead,
  type IdWindow,
  listEventBodies,
  listEventHeads,
  listEventHeadsById,
  type NumberedEvent,
  type PreparedEvent,
  type RecordedEvents,
} from './events.sql.ts'
export { beginFeedEpoch, EPOCH_SEQUENCES } from './feed-epoch.ts'
export { countParkedEvents, type FollowerProgress } from './followers.sql.ts'
export { createFollowers, type Follower } from './followers.ts'
export {
  EventBuffer,
  followRecording,
  type Initiator,
  initiatorOf,
  type NewEvent,
  noteSubscriptionsChanged,
  prepareEvent,
  type RecordingFollower,
  recordEvents,
  recordPrepared,
  recordTestEvent,
} from './recording.ts'

/** `isPending` keeps a day beyond its time. So do events that are not followed yet: what follows from them is not known. */
export const eventsTable = (isPending: NonNullable<PartitionedTable['isNeeded']>): PartitionedTable => ({
  table: 'events',
  idPrefix: 'evt',
  retentionDays: EVENT_RETENTION_DAYS,
  plainBytesMax: 8160,
  isNeeded: async (queries, day) => (await isPending(queries, day)) || (await isAnyUnfollowed(queries, day)),
})
