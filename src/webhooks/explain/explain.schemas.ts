import { z } from 'zod'
import { idSchema, textSchema, timeSchema } from '../../platform/http/schemas.ts'

/** Why an event did or did not reach an endpoint, as the API explains it. */
export const VERDICTS = [
  'delivered',
  'in_flight',
  'pending',
  'failed',
  'held',
  'cancelled',
  'skipped',
  'not_owed',
  'unknown',
] as const

const ExplanationStep = z
  .object({
    at: timeSchema.nullable().meta({ description: 'The time of the step; null if it describes the current state.' }),
    code: z
      .string()
      .max(50)
      .regex(/^[a-z_]+$/)
      .meta({ description: 'Stable, for programs.' }),
    says: textSchema(2000),
    details: z.record(z.string().max(100), z.unknown()).meta({ description: 'The values of the sentence as data.' }),
  })
  .meta({ id: 'WebhookExplanationStep', description: 'One step of the delivery, or a fact about its current state.' })

const Sentence = ExplanationStep.omit({ at: true }).meta({
  id: 'WebhookExplanationSentence',
  description: 'A sentence with a stable code and its values as data, so that programs can use them.',
})

const Story = z
  .object({
    endpoint_id: idSchema('wep'),
    url: textSchema(8192).meta({ description: 'Secrets in it are masked.' }),
    delivery_id: idSchema('dlv').nullable(),
    verdict: z.enum(VERDICTS).meta({
      description:
        '`not_owed`: the endpoint does not receive this event. `unknown`: it should have been sent, but no delivery exists.',
    }),
    says: textSchema(2000).meta({ description: 'The explanation.' }),
    next_step: textSchema(2000).nullable().meta({ description: 'What to do; null if nothing needs to be done.' }),
    answer: z.array(Sentence).max(10).meta({ description: '`says`, sentence by sentence.' }),
    advice: z.array(Sentence).max(10).meta({ description: '`next_step`, sentence by sentence.' }),
    steps: z.array(ExplanationStep).max(200).meta({ description: 'Every step in order.' }),
  })
  .meta({ id: 'WebhookExplanationStory', description: 'The explanation for one endpoint.' })

export const WebhookExplanation = z
  .object({
    object: z.literal('webhook_explanation'),
    event_id: idSchema('evt'),
    type: textSchema(100),
    sequence: z.int().min(1).max(Number.MAX_SAFE_INTEGER).nullable().meta({ description: 'Null on test events.' }),
    stories: z.array(Story).max(50).meta({ description: 'One per endpoint, oldest endpoint first.' }),
  })
  .meta({ id: 'WebhookExplanation', description: 'Why an event was or was not delivered to its endpoints.' })

export const explanationExample = {
  object: 'webhook_explanation' as const,
  event_id: 'evt_01k9x3m5q8e0t9v7a2b4c6d8fg',
  type: 'key.created',
  sequence: 4711,
  stories: [
    {
      endpoint_id: 'wep_01k9x3m5q8e0t9v7a2b4c6d8fg',
      url: 'https://shop.example.com/hooks/nexkit',
      delivery_id: null,
      verdict: 'not_owed' as const,
      says: 'The endpoint did not subscribe to key.created.',
      next_step:
        'To send it anyway, add "key.created" or "key.*" to the events of the endpoint, then recover with mode "missing" and since "2026-11-14T09:30:00.000Z".',
      answer: [
        {
          code: 'unsubscribed',
          says: 'The endpoint did not subscribe to key.created.',
          details: { type: 'key.created' },
        },
      ],
      advice: [
        {
          code: 'subscribe_and_recover_missing',
          says: 'To send it anyway, add "key.created" or "key.*" to the events of the endpoint, then recover with mode "missing" and since "2026-11-14T09:30:00.000Z".',
          details: { since: '2026-11-14T09:30:00.000Z', type: 'key.created', group: 'key.*' },
        },
      ],
      steps: [
        {
          at: '2026-11-14T09:30:00.000Z',
          code: 'event_recorded',
          says: 'key.created was recorded with sequence 4711.',
          details: { type: 'key.created', sequence: 4711 },
        },
        {
          at: null,
          code: 'not_subscribed',
          says: 'The endpoint subscribes to key.revoked, order.*; none of them includes key.created. The most similar is key.revoked.',
          details: { filters: ['key.revoked', 'order.*'], nearest: 'key.revoked' },
        },
      ],
    },
  ],
}
