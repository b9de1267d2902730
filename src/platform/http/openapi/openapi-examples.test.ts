import { describe, expect, test } from 'bun:test'
import { exampleRoutes, exampleWebhooks } from '../../../../test/support/example-routes.ts'
import type { Route } from '../define-route.ts'
import { exampleFaults, webhookExampleFaults } from './openapi-examples.ts'

const route = (id: string, example: Partial<Route['example']>): Route => {
  const found = exampleRoutes.find((candidate) => candidate.id === id) as Route
  return { ...found, example: { ...found.example, ...example } }
}
const orderReply = route('getOrder', {}).example.reply as Record<string, unknown>

describe('an example is at fault', () => {
  test('when a reply breaks its schema', () => {
    expect(exampleFaults(route('getOrder', { reply: { ...orderReply, status: 'lost' } }))[0]).toStartWith(
      'getOrder: example.reply status',
    )
  })

  test('when a reply shows what would never be sent', () => {
    expect(exampleFaults(route('getOrder', { reply: { ...orderReply, secret: 'x' } }))[0]).toContain(
      'drops or changes something',
    )
  })

  test('when a body, a query or a path value breaks its schema', () => {
    expect(exampleFaults(route('createOrder', { body: { items: [] } }))[0]).toStartWith(
      'createOrder: example.body items',
    )
    expect(exampleFaults(route('listOrders', { query: { limit: '0' } }))[0]).toStartWith(
      'listOrders: example.query limit',
    )
    expect(exampleFaults(route('getOrder', { params: { id: 'msg_1' } }))[0]).toStartWith('getOrder: example.params id')
  })

  test('when it is missing', () => {
    expect(exampleFaults(route('createOrder', { body: undefined }))).toHaveLength(1)
    expect(exampleFaults(route('getOrder', { params: {} }))).toHaveLength(1)
  })

  test('of an event too', () => {
    const [webhook] = exampleWebhooks
    expect(webhook).toBeDefined()
    if (webhook) expect(webhookExampleFaults({ ...webhook, example: {} })).not.toEqual([])
  })
})

test('right examples have no faults', () => {
  expect(exampleRoutes.flatMap(exampleFaults)).toEqual([])
  expect(exampleWebhooks.flatMap(webhookExampleFaults)).toEqual([])
})
