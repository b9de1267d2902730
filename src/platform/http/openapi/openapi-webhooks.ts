import type { z } from 'zod'
import { type Components, exampleOf, type JsonObject } from './openapi-components.ts'
import { pascalCase } from './openapi-errors.ts'
import { referParameter, webhookHeaderNames } from './openapi-headers.ts'
import { describeSchema } from './openapi-schemas.ts'

/** An event as it reaches a webhook endpoint. */
export type WebhookDescription = {
  /** Noun and past participle: `order.paid`. */
  type: string
  summary: string
  description: string
  isDeprecated?: boolean
  /** The whole body of the delivery. */
  schema: z.ZodType
  example: unknown
}

export const WEBHOOK_TAG = 'Webhooks'

/** Shared, because it says the same of every event. */
const gone: JsonObject = {
  description:
    'The receiver no longer exists. The endpoint is disabled at once (`disabled_reason: gone`), its pending deliveries are cancelled, and other endpoints receive `endpoint.disabled`. To continue, set another URL and resume the endpoint.',
}

/**
 * Here the roles are swapped: we call, the reader answers. So no key is asked for, the body is open like a reply (events
 * may gain members), and no errors of ours are described: whatever is not 2xx is tried again, but for 410, which is an answer.
 */
export function describeWebhook(components: Components, webhook: WebhookDescription): JsonObject {
  return {
    post: {
      tags: [WEBHOOK_TAG],
      summary: webhook.summary,
      description: `${webhook.description}\n\nRespond with any 2xx within 15 seconds. Any other response is retried later; 410 disables the endpoint.`,
      operationId: `on${pascalCase(webhook.type)}`,
      ...(webhook.isDeprecated && { deprecated: true }),
      security: [],
      parameters: webhookHeaderNames.map((name) => referParameter(components, name)),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: describeSchema(components, webhook.schema, 'reply', `webhook ${webhook.type}`),
            example: exampleOf(webhook.example),
          },
        },
      },
      responses: {
        '2XX': { description: 'Received. The response body is stored with the attempt and otherwise ignored.' },
        '410': components.refer('responses', 'WebhookGone', () => gone),
      },
    },
  }
}
