import { describe, expect, test } from 'bun:test'
import { envelopeOf, exampleOf } from '../events/event-catalogue.ts'
import { chatCreated, chatUpdated, contactUpdated, messageMoved, messageReceived } from './messaging.events.ts'
import { messagingRoutes } from './messaging.ts'
import type { MessagingContext } from './messaging-context.ts'

const routes = messagingRoutes({} as MessagingContext)

describe('what the description shows', () => {
  test.each(routes.filter((route) => route.reply.body !== null).map((route) => [route.id, route] as const))(
    'the example answer of %s satisfies its schema',
    (_, route) => {
      const result = route.reply.body?.safeParse(route.example.reply)
      expect(result?.success ? [] : result?.error.issues).toEqual([])
    },
  )

  test.each(
    routes
      .filter((route) => route.body !== undefined && route.example.body !== undefined)
      .map((route) => [route.id, route] as const),
  )('the example request of %s satisfies its schema', (_, route) => {
    const result = route.body?.safeParse(route.example.body)
    expect(result?.success ? [] : result?.error.issues).toEqual([])
  })

  test.each(
    [messageReceived, ...Object.values(messageMoved), chatCreated, chatUpdated, contactUpdated].map(
      (type) => [type.name, type] as const,
    ),
  )('the example of %s satisfies its schema', (_, type) => {
    const result = envelopeOf(type).safeParse(exampleOf(type))
    expect(result.success ? [] : result.error.issues).toEqual([])
  })
})
