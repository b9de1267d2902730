import { setTimeout as pause } from 'node:timers/promises'
import { matchesEvent } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import { messageOf, ProblemError } from '../../kernel/errors.ts'
import type { OutboundClient, OutboundResult } from '../../platform/outbound-http/outbound-client.ts'
import { Alarm } from '../../platform/outbox/wake-ups.ts'
import { type SigningKey, signedHeaders } from '../../webhooks/signing/signing.ts'
import { UsageError } from '../framework/command.ts'
import type { Feed, FeedEvent, OpenFeed } from './event-feeds.ts'

/**
 * Sends every new event of an organization to one URL, in order, one at a time, each once: for the developer whose machine
 * no webhook can reach. It reads the feed and needs no endpoint.
 *
 *   seeking ── the feed answers ──▶ following, from the newest event at the first time, else from where it was
 *   following ── nothing new ──▶ looks again after a moment
 *   following ── the feed is gone (the server restarts) ──▶ seeking
 *   any ── the signal ──▶ (over)
 */
export type ForwarderOptions = {
  openFeed: OpenFeed
  url: string
  filters: readonly string[]
  key: SigningKey
  client: Pick<OutboundClient, 'send'>
  clock: Clock
  signal: AbortSignal
  /** One for each event that was sent. */
  onForwarded: (event: FeedEvent, result: OutboundResult) => void
  /** Reports the state: once per change, not once per try. */
  onState: (state: ForwarderState) => void
}

export type ForwarderState = { name: 'seeking' | 'following'; reason?: string }

const SEEK_MS = 500
const TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_MS = 5_000

/** Rejects when there is no such organization, or one has to be named; whatever else goes wrong is waited out. */
export async function forwardEvents(options: ForwarderOptions): Promise<void> {
  const { signal, onState } = options
  const place: Place = { sequence: null }
  let state: ForwarderState['name'] | null = null
  const enter = (name: ForwarderState['name'], reason?: string) => {
    if (state !== name) onState({ name, ...(reason !== undefined && { reason }) })
    state = name
  }
  while (!signal.aborted) {
    const feed = await options.openFeed().catch(() => null)
    try {
      if (feed !== null) await followFeed(feed, place, { ...options, onReady: () => enter('following') })
      else enter('seeking')
    } catch (error) {
      if (error instanceof ProblemError || error instanceof UsageError) throw error
      if (!signal.aborted) enter('seeking', messageOf(error))
    } finally {
      await feed?.close().catch(() => {})
    }
    await pause(SEEK_MS, undefined, { signal }).catch(() => {})
  }
}

/** The last event that was sent. */
type Place = { sequence: number | null }

async function followFeed(
  feed: Feed,
  place: Place,
  options: ForwarderOptions & { onReady: () => void },
): Promise<void> {
  const { signal } = options
  const alarm = new Alarm()
  const ring = () => alarm.ring()
  signal.addEventListener('abort', ring)
  try {
    place.sequence ??= await feed.findNewest()
    let isReady = false
    while (!signal.aborted) {
      const events = await feed.listAfter(place.sequence)
      if (!isReady) options.onReady()
      isReady = true
      for (const event of events) {
        if (signal.aborted) return
        await forward(event, options)
        place.sequence = event.sequence
      }
      if (events.length === 0) await alarm.wait(feed.pollMs)
    }
  } finally {
    signal.removeEventListener('abort', ring)
  }
}

/** What was erased is not sent. */
async function forward(event: FeedEvent, options: ForwarderOptions): Promise<void> {
  if (event.erased_at !== null || !matchesEvent(options.filters, event.type)) return
  const body = Buffer.from(event.body)
  const content = { id: event.id, timestampSeconds: Math.floor(options.clock.now() / 1000), body }
  const result = await options.client.send({
    url: options.url,
    headers: { 'content-type': 'application/json', ...signedHeaders([options.key], content), 'webhook-attempt': '1' },
    body,
    timeoutMs: TIMEOUT_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    signal: options.signal,
  })
  options.onForwarded(event, result)
}
