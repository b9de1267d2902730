import { z } from 'zod'
import { contactNotFound } from '../messaging/messaging.errors.ts'
import { defineList, placeById } from '../platform/http/define-list.ts'
import { defineRoute, key, type Route } from '../platform/http/define-route.ts'
import { cursorParameter, idSchema, limitParameter, textSchema, timeSchema } from '../platform/http/schemas.ts'
import {
  type ErasureContext,
  type ErasureRow,
  eraseContact,
  getErasure,
  KEPT,
  listErasures,
} from './contact-erasure.ts'
import { contactErasureNotFound } from './erasure.errors.ts'

const ContactErasure = z
  .object({
    object: z.literal('contact_erasure'),
    id: idSchema('era'),
    contact_id: idSchema('con'),
    status: z.enum(['running', 'completed']),
    counts: z
      .record(textSchema(64), z.int().min(0).max(1_000_000_000))
      .meta({ maxProperties: 50, description: 'How many rows were erased or reduced, by kind.' }),
    kept: z
      .array(z.object({ what: textSchema(100), why: textSchema(300) }))
      .max(20)
      .meta({ description: 'What stays, and why.' }),
    created_at: timeSchema,
    completed_at: timeSchema.nullable(),
  })
  .meta({ id: 'ContactErasure', description: 'The erasure of a customer, and its report.' })

const present = (row: ErasureRow): z.input<typeof ContactErasure> => ({
  object: 'contact_erasure',
  id: row.id,
  contact_id: row.contact_id,
  status: row.status,
  counts: row.counts,
  kept: [...KEPT],
  created_at: row.created_at.toISOString(),
  completed_at: row.completed_at?.toISOString() ?? null,
})

const example = {
  object: 'contact_erasure',
  id: 'era_01kmz3v7n2e0a8tq9fj6hx5c4d',
  contact_id: 'con_01kmz3v7n2e0a8tq9fj6hx5c4d',
  status: 'completed',
  counts: { messages: 42, chats: 1, identities: 1, orders: 3, events: 120 },
  kept: [{ what: 'orders, payments and refunds', why: 'The books need their numbers, amounts, items and dates.' }],
  created_at: '2026-11-14T09:30:00.000Z',
  completed_at: '2026-11-14T09:30:02.000Z',
}
const shared = { tag: 'Contacts', access: key('contacts:erase') } as const

export const erasureRoutes = (context: ErasureContext): Route[] => [
  defineRoute({
    ...shared,
    id: 'eraseContact',
    method: 'POST',
    path: '/contacts/{id}/erase',
    summary: 'Erase a customer',
    description:
      'Starts to erase everything about a customer: chats, messages, files and identities are deleted, orders are reduced to what the books need, and payloads of events, logs and notifications are erased. Waiting webhook deliveries about the customer are cancelled. It cannot be undone. Read the report until its status is `completed`. A later message from the same phone starts a new contact.',
    params: z.object({ id: idSchema('con') }),
    reply: { status: 202, body: ContactErasure },
    location: ({ id }) => `/erasures/${id}`,
    errors: [contactNotFound],
    idempotency: 'transaction',
    example: { params: { id: example.contact_id }, reply: { ...example, status: 'running', completed_at: null } },
    async handle({ tx, params: { id }, caller: { orgId } }) {
      tx.afterCommit(() => context.wake([orgId]))
      return present(await eraseContact(context, tx, orgId, id))
    },
  }),
  defineList({
    ...shared,
    id: 'listErasures',
    path: '/erasures',
    summary: 'List erasures',
    description: 'All erasures of customers, newest first.',
    query: z.strictObject({ limit: limitParameter, cursor: cursorParameter }),
    item: ContactErasure,
    example: { items: [example] },
    list: 'erasures',
    sort: '-id',
    read: ({ caller: { orgId }, queries, limit, position }) =>
      listErasures(queries, orgId, { limit, before: position === null ? null : String(position[0]) }),
    place: placeById,
    present: (rows) => rows.map(present),
  }),
  defineRoute({
    ...shared,
    id: 'getErasure',
    method: 'GET',
    path: '/erasures/{id}',
    summary: 'Get an erasure',
    description: 'Returns the report of an erasure: its status, what was erased, and what was kept.',
    params: z.object({ id: idSchema('era') }),
    reply: { status: 200, body: ContactErasure },
    errors: [contactErasureNotFound],
    example: { params: { id: example.id }, reply: example },
    handle: async ({ params: { id }, caller: { orgId }, queries }) => present(await getErasure(queries, orgId, id)),
  }),
]
