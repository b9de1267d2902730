import type { z } from 'zod'
import type { Story } from './explanation-facts.ts'
import type { WebhookExplanation } from './explanations.schemas.ts'
import type { Explanation } from './explanations.ts'

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
