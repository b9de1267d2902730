import { pause } from './deadline.ts'
import { NexkitError } from './errors.ts'
import { EVENT_TYPES } from './generated/event-types.ts'
import { Events } from './generated/resources.ts'
import type { Event, KnownEvent, ListEventsQuery, ThinEvent, WebhookEvent } from './generated/types.ts'
import type { Page } from './list.ts'
import { backoffMs, isWorthRepeating } from './retry.ts'

const POLL_MS = 2000
const PAGE_ENTRIES = 100
/** After so many looks that found nothing, or an hour of them, a feed with a filter moves up. */
const LOOKS_MAX = 300
const LOOKING_MS_MAX = 3_600_000

export type FollowOptions = Pick<ListEventsQuery, 'types' | 'subject'> & {
  /** The last sequence that you have dealt with: begins with the one after it. 0 is the beginning; without it, or null, now. */
  after?: number | null | undefined
  /** Ends the loop, without an error. */
  signal?: AbortSignal | undefined
  /** How long to wait when there was nothing new. */
  pollMs?: number | undefined
  /** Called with each failure that it continues after. */
  onInterruption?: ((error: NexkitError) => void) | undefined
}

/** Real events have a sequence; test events, which have none, are not in the feed. */
export type FeedEvent = Event & { sequence: number }

type Filter = Pick<ListEventsQuery, 'types' | 'subject'>

/** The last sequence that was given out or moved up to, the tag of the last look beyond it, and how many found nothing. */
type Place = { after: number; etag: string | null; looks: number }

export class EventFeed extends Events {
  /**
   * Every event from `after` on, in order, each once, for as long as you look: it waits for new ones. Store `sequence`
   * of what you have dealt with and give it as `after` next time; then nothing is missed, whatever happened between.
   *
   * It asks again after a transient failure (no response, 429, 5xx), without end, once a first call has
   * succeeded. Everything else is thrown.
   */
  async *follow({
    signal,
    pollMs = POLL_MS,
    onInterruption,
    ...filter
  }: FollowOptions = {}): AsyncGenerator<FeedEvent, void, undefined> {
    try {
      const place: Place = { after: filter.after ?? (await this.#newest(signal)), etag: null, looks: 0 }
      const looksMax = Math.min(LOOKS_MAX, Math.ceil(LOOKING_MS_MAX / pollMs))
      for (let failures = 0, isFirst = typeof filter.after === 'number'; ; isFirst = false) {
        const look = place.looks < looksMax ? this.#next(place, filter, signal) : this.#moveUp(place, filter, signal)
        const page = await look.catch((error: unknown) => {
          if (isFirst || !(error instanceof NexkitError) || !isWorthRepeating(error)) throw error
          return error
        })
        if (page instanceof NexkitError) {
          failures += 1
          onInterruption?.(page)
          await pause((page.retryAfterSeconds ?? 0) * 1000 + backoffMs(failures), signal)
          continue
        }
        failures = 0
        for (const event of page?.data ?? []) {
          signal?.throwIfAborted()
          const { sequence } = event
          if (sequence === null) continue
          yield { ...event, sequence }
          Object.assign(place, { after: sequence, etag: null, looks: 0 })
        }
        if (isFiltered(filter)) place.looks += 1
        if (!page?.has_more) await pause(pollMs, signal)
      }
    } catch (error) {
      if (!signal?.aborted) throw error
    }
  }

  async #newest(signal: AbortSignal | undefined): Promise<number> {
    const { data } = await this.list({ limit: 1 }, { signal })
    return data[0]?.sequence ?? 0
  }

  /**
   * Events that the filter leaves out expire like all others, and a feed that stopped before them would get "too old". A page
   * without a match proves that everything before it was seen, so the feed moves past it.
   */
  async #moveUp(place: Place, filter: Filter, signal: AbortSignal | undefined): Promise<Page<Event> | null> {
    const newest = await this.#newest(signal)
    const page = await this.#next(place, filter, signal)
    if (page === null || page.data.length === 0)
      Object.assign(place, { after: Math.max(place.after, newest), etag: null, looks: 0 })
    return page
  }

  /** Null when nothing is new. Asked with the tag of the last look, which the server does not count against the limit. */
  async #next(place: Place, filter: Filter, signal: AbortSignal | undefined): Promise<Page<Event> | null> {
    const headers = place.etag === null ? {} : { 'if-none-match': place.etag }
    const query = { types: filter.types, subject: filter.subject, after: place.after, limit: PAGE_ENTRIES }
    try {
      const { data, response } = await this.list(query, { signal, headers }).withResponse()
      place.etag = response.etag
      return data
    } catch (error) {
      if (error instanceof NexkitError && error.status === NOT_MODIFIED) return null
      throw error
    }
  }
}

const isFiltered = ({ types, subject }: Filter) => types !== undefined || subject !== undefined

const NOT_MODIFIED = 304

/**
 * Whether `type` says what is in `data`. It does not for an event that came into the catalogue after this version of the
 * SDK, for one that came with its ids alone, and for one whose payload was erased.
 */
export const isKnown = (event: Event | WebhookEvent): event is KnownEvent =>
  EVENT_TYPES.includes(event.type) && !('self' in event) && !('erased_at' in event)

/** It came with its ids alone: `events.get(event.id)` has the whole. */
export const isThin = (event: WebhookEvent): event is ThinEvent => 'self' in event
