import { z } from 'zod'
import type { Clock } from '../../../kernel/clock.ts'
import type { OrdersContext } from '../../../orders/orders-context.ts'
import type { Database } from '../../../platform/database/database.ts'
import { defineRoute, type Route } from '../../../platform/http/define-route.ts'
import type { Caller } from '../../../platform/http/pipeline/caller.ts'
import { textSchema } from '../../../platform/http/schemas.ts'
import { session } from '../sign-in/session-caller.ts'
import type { ChecklistReader } from './checklist.ts'
import { search } from './search.ts'
import { Checklist, ranges, Statistics } from './statistics.schemas.ts'
import type { StatisticsReader } from './statistics.ts'

/** What the first page shows, and the search that leads from it to everything else. */
export type HomeRouteParts = {
  database: Database
  clock: Clock
  orders: OrdersContext
  readStatistics: StatisticsReader
  readChecklist: ChecklistReader
}

const Found = z
  .object({
    type: textSchema(20),
    id: textSchema(40),
    title: textSchema(200),
    detail: textSchema(300).nullable(),
    order_status: textSchema(30).optional(),
    path: textSchema(200).meta({ description: 'In the console.' }),
  })
  .meta({ id: 'Found' })

const shared = { tag: 'Home', description: 'Of the console.', access: session(null) } as const

/** A scope or a power of the person who asks. */
const rightsOf = (caller: Caller) => {
  const rights: readonly string[] = [...caller.scopes, ...(caller.powers ?? [])]
  return (right: string) => rights.includes(right)
}

const emptyStatistics = {
  range: '24h',
  bucket_seconds: 3600,
  from: '2026-11-13T10:00:00.000Z',
  to: '2026-11-14T10:00:00.000Z',
  is_partial: false,
  covered_from: '2026-11-13T10:00:00.000Z',
  requests: null,
  latency: null,
  deliveries: null,
  messages: null,
  orders: null,
}
const undone = { done: false, at: null }

export const homeRoutes = ({ database, clock, orders, readStatistics, readChecklist }: HomeRouteParts): Route[] => [
  defineRoute({
    ...shared,
    id: 'getFigures',
    method: 'GET',
    path: '/figures',
    summary: 'What happened lately, in buckets',
    query: z.object({ range: z.enum(ranges).default('24h') }),
    reply: { status: 200, body: Statistics },
    example: { reply: emptyStatistics },
    handle({ query: { range }, caller }) {
      const may = rightsOf(caller)
      return readStatistics({
        orgId: caller.orgId,
        range,
        now: new Date(clock.now()),
        may: {
          requests: may('logs:read'),
          deliveries: may('webhooks:read'),
          messages: may('chats:read'),
          orders: may('orders:read'),
        },
      })
    },
  }),
  defineRoute({
    ...shared,
    id: 'getChecklist',
    method: 'GET',
    path: '/checklist',
    summary: 'How far one has come',
    reply: { status: 200, body: Checklist },
    example: {
      reply: { key_made: undone, message_sent: undone, order_paid: undone, webhook_delivered: undone },
    },
    handle: ({ caller }) => readChecklist(caller.orgId),
  }),
  defineRoute({
    ...shared,
    id: 'search',
    method: 'GET',
    path: '/search',
    summary: 'Find one thing by what is known of it',
    query: z.object({ q: textSchema(200, 1) }),
    reply: { status: 200, body: z.object({ data: z.array(Found) }) },
    example: { query: { q: '+6281311112222' }, reply: { data: [] } },
    async handle({ query: { q }, caller }) {
      const found = await search({ database, orders }, { orgId: caller.orgId, words: q, may: rightsOf(caller) })
      return { data: found.map((one) => ({ ...one, title: one.title.slice(0, 200) })) }
    },
  }),
]
