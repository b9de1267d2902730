import { describe, expect, test } from 'bun:test'
import { exampleWebhooks } from '../../../../test/support/example-routes.ts'
import { buildAsyncApi } from './asyncapi.ts'
import { buildOpenApi } from './openapi.ts'

type Node = Record<string, unknown>

const deprecated = {
  ...exampleWebhooks[0],
  type: 'order.settled',
  isDeprecated: true,
} as (typeof exampleWebhooks)[number]
const webhooks = [...exampleWebhooks, deprecated]

const document = buildAsyncApi({
  info: { title: 'Example', version: '1' },
  channel: { name: 'endpoint', title: 'An endpoint', description: 'A URL.' },
  webhooks,
}) as Node

const at = (pointer: string): unknown =>
  pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((node, name) => (node as Node | undefined)?.[name], document)

const operations = document.operations as Record<string, Node>
const message = (type: string) => at(`#/components/messages/${type}`) as Node

test('there is one operation per event, which sends its message into the channel of the endpoint', () => {
  expect(document.asyncapi).toBe('3.0.0')
  expect(Object.keys(operations)).toEqual(['sendOrderPaid', 'sendOrderSettled'])
  expect(operations.sendOrderPaid).toMatchObject({
    action: 'send',
    channel: { $ref: '#/channels/endpoint' },
    messages: [{ $ref: '#/channels/endpoint/messages/order.paid' }],
  })
  expect(at('#/channels/endpoint')).not.toHaveProperty('address')
})

describe('a message', () => {
  test('has the payload that the OpenAPI description gives the same event', () => {
    const { webhooks: described } = buildOpenApi({
      info: { title: 'Example', version: '1', summary: 's', description: 'd', contact: {}, license: {} },
      tags: [{ name: 'Webhooks', description: 'd' }],
      servers: [],
      basePath: '/v1',
      routes: [],
      errors: [],
      webhooks,
    })
    const { post } = (described as Record<string, { post: Node }>)['order.paid'] as { post: Node }
    const { content } = post.requestBody as { content: Record<string, Node> }
    expect(message('order.paid').payload as Node).toEqual(content['application/json']?.schema as Node)
  })

  test('names the headers that a receiver verifies, each required, with an example that fits', () => {
    expect(message('order.paid').headers).toEqual({ $ref: '#/components/schemas/WebhookHeaders' })
    const schema = at('#/components/schemas/WebhookHeaders') as { required: string[]; properties: Record<string, Node> }
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'webhook-attempt']
    expect(schema.required).toEqual(names)
    const [example] = message('order.paid').examples as [{ headers: Record<string, string> }]
    for (const name of names)
      expect(example.headers[name]).toMatch(new RegExp(String((schema.properties[name] as Node).pattern)))
  })

  test('of a deprecated event says so', () => {
    expect(message('order.settled')).toHaveProperty('x-deprecated', true)
    expect(message('order.paid')).not.toHaveProperty('x-deprecated')
  })
})
