import { pause } from './deadline.ts'
import { NexkitError } from './errors.ts'
import { Events } from './generated/resources.ts'
import type { Event, ListEventsQuery } from './generated/types.ts'
import type { Page } from './list.ts'
import { backoffMs, isWorthRepeating } from './retry.ts'

const POLL_MS = 2000
const PAGE_ENTRIES = 100

export type FollowOptions = Pick<ListEventsQuery, 'types' | 'subject'> & {
  /** The last sequence that you have dealt with: begins with the one after it. 0 is the beginning; without it, now. */
  after?: number | undefined
  /** Ends the loop, without an error. */
  signal?: AbortSignal | undefined
  /** How long to wait when there was nothing new. */
  pollMs?: number | undefined
  /** Told of each failure that it goes on after. */
  onInterruption?: ((error: NexkitError) => void) | undefined
}

/** The last sequence that was given out, and the tag of the last look beyond it. */
type Place = { after: number; etag: string | null }

export class EventFeed extends Events {
  /**
   * Every event from `after` on, in order, each once, for as long as you look: it waits for new ones. Store `sequence`
   * of what you have dealt with and give it as `after` next time; then nothing is missed, whatever happened between.
   *
   * It asks again after a failure that passes by itself (no answer, 429, 5xx), without end, once a first call has
   * succeeded. Everything else is thrown.
   */
  async *follow({
    signal,
    pollMs = POLL_MS,
    onInterruption,
    ...filter
  }: FollowOptions = {}): AsyncGenerator<Event, void, undefined> {
    try {
      const place: Place = { after: filter.after ?? (await this.#newest(signal)), etag: null }
      for (let failures = 0, isFirst = filter.after !== undefined; ; isFirst = false) {
        const page = await this.#next(place, filter, signal).catch((error: unknown) => {
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
          yield event
          Object.assign(place, { after: event.sequence, etag: null })
        }
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

  /** Null when nothing is new. Asked with the tag of the last look, which the server does not count against the limit. */
  async #next(place: Place, filter: ListEventsQuery, signal: AbortSignal | undefined): Promise<Page<Event> | null> {
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

const NOT_MODIFIED = 304
