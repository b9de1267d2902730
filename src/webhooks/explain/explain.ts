import type { z } from 'zod'
import { type Event, findFollowerProgress, getEvent, listEvents } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import { isId, type OrgId } from '../../kernel/ids.ts'
import { type Database, inOneMoment, type Queries } from '../../platform/database/database.ts'
import { explainEntry, listLaneEntries } from '../../platform/outbox/entries.ts'
import {
  type Delivery,
  deliveryIdFor,
  findDelivery,
  getAttempts,
  listBundledEvents,
  resentDeliveryOf,
} from '../deliveries/deliveries.ts'
import { webhookEndpointNotFound } from '../endpoints/endpoints.errors.ts'
import { endpointEvents } from '../endpoints/endpoints.events.ts'
import { asSubscriber, type Endpoint, findAnyEndpoint, handLaneOf, listSubscribers } from '../endpoints/endpoints.ts'
import type { WebhookExplanation } from './explain.schemas.ts'
import type { Facts, Story } from './explanation-codes.ts'
import { explainStory } from './explanation-story.ts'

/**
 * "Why did event X not reach endpoint Y?" This file gathers what is known: the event, the endpoint, how far fan-out is, the
 * delivery with its attempts, and what the outbox says of it at this moment. explanation-story.ts makes sentences of it.
 */
type Explanation = { event: Event; stories: Story[] }

export async function explainEvent(
  { database, clock }: { database: Database; clock: Clock },
  orgId: OrgId,
  { eventId, endpointId }: { eventId: string; endpointId: string | undefined },
): Promise<Explanation> {
  const event = await getEvent(database, orgId, eventId)
  const endpoints =
    endpointId === undefined
      ? await listSubscribers(database, orgId)
      : [await asSubscriber(database, await getAny(database, orgId, endpointId))]
  const fanOut = await findFollowerProgress(database, orgId)
  const now = new Date(clock.now())
  const facts = await inOneMoment(database, (tx) =>
    Promise.all(endpoints.map((endpoint) => gatherFacts(tx, { event, endpoint, fanOut }, now))),
  )
  return { event, stories: facts.map((known) => explainStory(known, now)) }
}

/** A deleted endpoint has a story too. */
async function getAny(database: Database, orgId: OrgId, id: string): Promise<Endpoint> {
  const endpoint = isId('wep', id) ? await findAnyEndpoint(database, orgId, id) : null
  if (endpoint === null) throw webhookEndpointNotFound({ params: { id } })
  return endpoint
}

async function gatherFacts(
  queries: Queries,
  pair: Pick<Facts, 'event' | 'endpoint' | 'fanOut'>,
  now: Date,
): Promise<Facts> {
  const { event, endpoint } = pair
  const [bundled, delivery] = await Promise.all([
    listBundledEvents(queries, { orgId: event.org_id, endpointId: endpoint.id }),
    findDelivery(queries, event.org_id, deliveryIdFor(event.id, endpoint.id)),
  ])
  const nothing = {
    attempts: [],
    waiting: null,
    isResending: false,
    earlierFilters: [],
    isBundled: bundled.has(event.id),
  }
  if (delivery === null)
    return { ...pair, ...nothing, delivery, earlierFilters: await listEarlierFilters(queries, event, endpoint) }
  const [attempts, waiting, isResending] = await Promise.all([
    getAttempts(queries, delivery),
    explainEntry(queries, { orgId: event.org_id, id: delivery.id }, now),
    hasResend(queries, delivery),
  ])
  return { ...pair, ...nothing, delivery, attempts, waiting, isResending }
}

const RESENDS_LOOKED_AT_MAX = 100

async function hasResend(queries: Queries, delivery: Delivery): Promise<boolean> {
  const lane = { orgId: delivery.org_id, id: handLaneOf(delivery.endpoint_id) }
  const byHand = await listLaneEntries(queries, lane, RESENDS_LOOKED_AT_MAX)
  return byHand.some((entry) => resentDeliveryOf(entry) === delivery.id)
}

const CHANGES_LOOKED_AT_MAX = 100

/** The endpoint's own events remember: each change after the event that touched the filters says what they were. */
async function listEarlierFilters(
  queries: Queries,
  event: Event,
  endpoint: Endpoint,
): Promise<Facts['earlierFilters']> {
  if (event.sequence === null) return []
  const changes = await listEvents(queries, event.org_id, {
    after: event.sequence,
    types: [endpointEvents.updated.name],
    subject: endpoint.id,
    limit: CHANGES_LOOKED_AT_MAX,
  })
  return changes.flatMap((change) => {
    const { previous }: { previous: { events?: string[] } | null } = JSON.parse(change.body)
    return previous?.events === undefined ? [] : [{ filters: previous.events, until: change.created_at }]
  })
}

/** An explanation as the API shows it. */
export const presentExplanation = ({ event, stories }: Explanation): z.input<typeof WebhookExplanation> => ({
  object: 'webhook_explanation',
  event_id: event.id,
  type: event.type,
  sequence: event.is_test ? null : event.sequence,
  stories: stories.map(presentStory),
})

const presentStory = ({ endpointId, url, deliveryId, verdict, says, nextStep, answer, advice, steps }: Story) => ({
  endpoint_id: endpointId,
  url,
  delivery_id: deliveryId,
  verdict,
  says,
  next_step: nextStep,
  answer,
  advice,
  steps: steps.map((step) => ({ ...step, at: step.at?.toISOString() ?? null })),
})

export type { Step, Story } from './explanation-codes.ts'
