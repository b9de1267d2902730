import { createComponents, exampleOf, type Json, type JsonObject } from './openapi-components.ts'
import { pascalCase } from './openapi-errors.ts'
import { webhookHeaders } from './openapi-headers.ts'
import { describeSchema } from './openapi-schemas.ts'
import type { WebhookDescription } from './openapi-webhooks.ts'

/**
 * The events for tools that use AsyncAPI 3, generated from the same values as the `webhooks` of the OpenAPI
 * description, so the two cannot disagree.
 *
 * There is one channel, an endpoint of the reader, without an address because only the reader knows it; what is sent into
 * it is one operation and one message per type. Payloads keep to JSON Schema draft 07, which is the schema language of
 * AsyncAPI itself: ours use nothing newer, and a test holds them to it.
 */
export type AsyncApiDocument = { asyncapi: string; info: JsonObject; [name: string]: Json }

export type AsyncApiOptions = {
  info: JsonObject
  channel: { name: string; title: string; description: string }
  webhooks: readonly WebhookDescription[]
}

const VERSION = '3.0.0'
const CONTENT_TYPE = 'application/json'
const HEADERS: JsonObject = { $ref: '#/components/schemas/WebhookHeaders' }

export function buildAsyncApi({ info, channel, webhooks }: AsyncApiOptions): AsyncApiDocument {
  const components = createComponents()
  components.put('schemas', 'WebhookHeaders', headersSchema(), 'the schema "WebhookHeaders" is of the headers')
  const sorted = webhooks.toSorted((one, other) => (one.type < other.type ? -1 : 1))
  const at = `#/channels/${channel.name}`
  const named = (entry: (webhook: WebhookDescription) => [string, JsonObject]) => Object.fromEntries(sorted.map(entry))
  const messages = named((webhook) => [
    webhook.type,
    describeMessage(webhook, describeSchema(components, webhook.schema, 'reply', `event ${webhook.type}`)),
  ])
  return {
    asyncapi: VERSION,
    info,
    defaultContentType: CONTENT_TYPE,
    channels: {
      [channel.name]: {
        title: channel.title,
        description: channel.description,
        messages: named(({ type }) => [type, { $ref: `#/components/messages/${type}` }]),
      },
    },
    operations: named((webhook) => [`send${pascalCase(webhook.type)}`, describeSending(webhook, at)]),
    components: { messages, ...components.all() },
  }
}

/** AsyncAPI has no word for what is deprecated. */
const deprecation = ({ isDeprecated }: WebhookDescription): JsonObject =>
  isDeprecated === true ? { 'x-deprecated': true } : {}

const describeSending = (webhook: WebhookDescription, channel: string): JsonObject => ({
  action: 'send',
  channel: { $ref: channel },
  title: webhook.type,
  summary: webhook.summary,
  description: `${webhook.description}\n\nRespond with any 2xx. Any other response is retried later; 410 disables the endpoint.`,
  ...deprecation(webhook),
  bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
  messages: [{ $ref: `${channel}/messages/${webhook.type}` }],
})

const describeMessage = (webhook: WebhookDescription, payload: JsonObject): JsonObject => ({
  name: webhook.type,
  title: webhook.type,
  summary: webhook.summary,
  description: webhook.description,
  ...deprecation(webhook),
  contentType: CONTENT_TYPE,
  headers: HEADERS,
  payload,
  examples: [{ name: 'example', headers: exampleHeaders(), payload: exampleOf(webhook.example) }],
})

const headersSchema = (): JsonObject => ({
  type: 'object',
  description: 'The headers of the Standard Webhooks specification. Trust only what the signature covers.',
  required: webhookHeaders.filter(({ required }) => required).map(({ name }) => name),
  properties: Object.fromEntries(
    webhookHeaders.map(({ name, description, schema }) => [name, { ...schema, description }]),
  ),
})

const exampleHeaders = (): JsonObject =>
  Object.fromEntries(webhookHeaders.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])))
