import type { Endpoint, EndpointChange } from '../api/webhooks.ts'
import type { Language } from '../text/text.tsx'
import {
  changedDelivery,
  type DeliveryDraft,
  type DeliveryProblems,
  deliveryDraftOf,
  deliveryProblemsOf,
  isDeliverySound,
} from './delivery-draft.ts'
import { changedRetries, type DraftProblems, draftOf, isSound, problemsOf, type RetryDraft } from './retry-draft.ts'

/** An endpoint as it is typed, and what of it is to be another. */
export type EndpointDraft = {
  url: string
  events: string[]
  description: string
  retries: RetryDraft
  delivery: DeliveryDraft
}

export const endpointDraftOf = (endpoint: Endpoint | undefined, language: Language): EndpointDraft => ({
  url: endpoint?.url ?? '',
  events: endpoint?.events ?? ['*'],
  description: endpoint?.description ?? '',
  retries: draftOf(endpoint, language),
  delivery: deliveryDraftOf(endpoint),
})

export type EndpointProblems = { retries: DraftProblems; delivery: DeliveryProblems }

export const endpointProblemsOf = ({ retries, delivery }: EndpointDraft): EndpointProblems => ({
  retries: problemsOf(retries),
  delivery: deliveryProblemsOf(delivery),
})

export const isEndpointSound = ({ retries, delivery }: EndpointProblems): boolean =>
  isSound(retries) && isDeliverySound(delivery)

/**
 * Of an endpoint that is there, what differs from what it was when the form was filled from it, and not from what it is by
 * now: whatever others changed meanwhile stays.
 */
export function changesOf(draft: EndpointDraft, base: Endpoint | undefined): EndpointChange {
  const url = draft.url.trim()
  const description = draft.description.trim() || null
  return {
    ...(url !== base?.url && { url }),
    ...(draft.events.join() !== base?.events.join() && { events: draft.events as EndpointChange['events'] }),
    ...(description !== (base?.description ?? null) && { description }),
    ...changedRetries(draft.retries, base),
    ...changedDelivery(draft.delivery, base),
  }
}
