import { z } from 'zod'
import { initiatorOf } from '../events/events.ts'
import type { OrgId } from '../kernel/ids.ts'
import { findContactById } from '../messaging/contacts/contacts.ts'
import {
  contactNotFound,
  numberNotConnected,
  recipientOptedOut,
  templateNotApproved,
  templateNotFound,
  templateParametersWrong,
} from '../messaging/messaging.errors.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import { defineList, placeById } from '../platform/http/define-list.ts'
import { defineRoute, key, type Route } from '../platform/http/define-route.ts'
import { valueRefused } from '../platform/http/http.errors.ts'
import { cursorParameter, idSchema, limitParameter } from '../platform/http/schemas.ts'
import { createBroadcast } from './broadcast-creation.ts'
import { getBroadcast, type Move, moveBroadcast, presentBroadcast, presentBroadcasts } from './broadcast-status.ts'
import { broadcastEmpty, broadcastNotFound, broadcastStatusConflict } from './broadcasts.errors.ts'
import {
  Broadcast,
  BroadcastRecipient,
  broadcastExample,
  broadcastStatuses,
  ContactConsent,
  consentExample,
  NewBroadcast,
  NewConsent,
  newBroadcastExample,
  recipientExample,
  recipientStatuses,
  SKIPPED,
} from './broadcasts.schemas.ts'
import { findConsent, listBroadcasts, listReport, type ReportRow, saveConsent } from './broadcasts.sql.ts'
import type { BroadcastsContext } from './broadcasts-context.ts'

const TAG = 'Broadcasts'
const reading = { tag: TAG, access: key('chats:read') } as const
const writing = { tag: TAG, access: key('messages:send'), idempotency: 'transaction' } as const

const params = z.object({ id: idSchema('brd') })
const paramsExample = { id: broadcastExample.id }
const contactParams = z.object({ id: idSchema('con') })

const MOVES: readonly { move: Exclude<Move, 'complete'>; id: string; summary: string; description: string }[] = [
  {
    move: 'start',
    id: 'startBroadcast',
    summary: 'Start a broadcast',
    description:
      'Sends the draft to everyone who is `pending`, now or at `send_at`. People who opted out since are left out.',
  },
  {
    move: 'pause',
    id: 'pauseBroadcast',
    summary: 'Pause a broadcast',
    description: 'Stops sending until the broadcast is resumed. Messages that are queued already are still sent.',
  },
  {
    move: 'resume',
    id: 'resumeBroadcast',
    summary: 'Resume a broadcast',
    description: 'Sends the broadcast to those who are still `pending`.',
  },
  {
    move: 'cancel',
    id: 'cancelBroadcast',
    summary: 'Cancel a broadcast',
    description: 'Ends the broadcast. Those who are still `pending` are never sent it.',
  },
]

const AFTER: Record<Exclude<Move, 'complete'>, Partial<typeof broadcastExample>> = {
  start: { status: 'running', started_at: '2026-11-14T09:31:00.000Z' },
  pause: { status: 'paused', paused_reason: 'requested', started_at: '2026-11-14T09:31:00.000Z' },
  resume: { status: 'running', started_at: '2026-11-14T09:31:00.000Z' },
  cancel: { status: 'cancelled', ended_at: '2026-11-14T09:31:00.000Z' },
}

const actionRoute = (context: BroadcastsContext, { move, id, summary, description }: (typeof MOVES)[number]): Route =>
  defineRoute({
    ...{ ...writing, id, summary, description, params },
    method: 'POST',
    path: `/broadcasts/{id}/${move}`,
    reply: { status: 200, body: Broadcast },
    errors: [broadcastNotFound, broadcastStatusConflict],
    example: { params: paramsExample, reply: { ...broadcastExample, ...AFTER[move] } },
    async handle({ tx, params: { id: broadcastId }, ...request }) {
      const { orgId } = request.caller
      tx.afterCommit(() => context.wake([orgId]))
      const reason = move === 'pause' ? 'requested' : null
      const initiator = initiatorOf(request)
      const row = await moveBroadcast(context, tx, orgId, { id: broadcastId, move, reason, initiator })
      return presentBroadcast(tx, row)
    },
  })

export const broadcastRoutes = (context: BroadcastsContext): Route[] => [
  defineRoute({
    ...writing,
    id: 'createBroadcast',
    method: 'POST',
    path: '/broadcasts',
    summary: 'Create a broadcast',
    description:
      'Creates a draft: one template to a label or a list of people. Nothing is sent. The answer says who would be sent it, who is left out and why, and what it costs. Only people with an opt-in are sent it, each once.',
    body: NewBroadcast,
    reply: { status: 201, body: Broadcast },
    location: ({ id }) => `/broadcasts/${id}`,
    errors: [
      ...[broadcastEmpty, numberNotConnected, templateNotFound, templateNotApproved, templateParametersWrong],
      ...[valueRefused, recipientOptedOut],
    ],
    example: { body: newBroadcastExample, reply: broadcastExample },
    async handle({ tx, body, caller }) {
      const createdBy = { type: caller.type, id: caller.id }
      return presentBroadcast(tx, await createBroadcast(context, tx, caller.orgId, { input: body, createdBy }))
    },
  }),
  defineList({
    ...reading,
    id: 'listBroadcasts',
    path: '/broadcasts',
    summary: 'List broadcasts',
    description: 'Broadcasts, newest first.',
    query: z.strictObject({
      limit: limitParameter,
      cursor: cursorParameter,
      status: z.enum(broadcastStatuses).optional().meta({ description: 'Only broadcasts with this status.' }),
    }),
    item: Broadcast,
    example: { items: [broadcastExample] },
    list: 'broadcasts',
    sort: '-id',
    read: ({ caller: { orgId }, queries, filters, limit, position }) =>
      listBroadcasts(queries, orgId, {
        ...{ limit, before: position === null ? null : String(position[0]), status: filters.status ?? null },
      }),
    place: placeById,
    present: (rows) => presentBroadcasts(context.database, rows),
  }),
  defineRoute({
    ...reading,
    id: 'getBroadcast',
    method: 'GET',
    path: '/broadcasts/{id}',
    summary: 'Get a broadcast',
    description: 'Returns a broadcast with its counts.',
    params,
    reply: { status: 200, body: Broadcast },
    errors: [broadcastNotFound],
    example: { params: paramsExample, reply: broadcastExample },
    handle: async ({ params: { id }, caller: { orgId }, queries }) =>
      presentBroadcast(queries, await getBroadcast(queries, orgId, id)),
  }),
  defineList({
    ...reading,
    id: 'listBroadcastRecipients',
    path: '/broadcasts/{id}/recipients',
    summary: 'List the people of a broadcast',
    description: 'The report: everyone in the audience, in its order, with what was sent to them or why nothing was.',
    params,
    query: z.strictObject({
      limit: limitParameter,
      cursor: cursorParameter,
      status: z.enum(recipientStatuses).optional().meta({ description: 'Only people with this status.' }),
    }),
    item: BroadcastRecipient,
    errors: [broadcastNotFound],
    example: { params: paramsExample, items: [recipientExample] },
    list: 'broadcast-recipients',
    sort: 'position',
    async read({ caller: { orgId }, params: { id }, queries, filters, limit, position }) {
      await getBroadcast(queries, orgId, id)
      const after = position === null ? null : Number(position[0])
      return listReport(queries, orgId, { id, after, limit, status: filters.status ?? null })
    },
    place: ({ position }) => [position],
    present: (rows) => rows.map(presentRecipient),
  }),
  ...MOVES.map((move) => actionRoute(context, move)),
  consentRoute(context, {
    ...{ id: 'optInContact', path: '/contacts/{id}/opt-in', isGiven: true, summary: 'Record an opt-in' },
    description: 'Records that a customer agreed to receive broadcasts. The latest of opt-in and opt-out counts.',
  }),
  consentRoute(context, {
    ...{ id: 'optOutContact', path: '/contacts/{id}/opt-out', isGiven: false, summary: 'Record an opt-out' },
    description:
      'Records that a customer does not want broadcasts. Opt-outs in WhatsApp are recorded without it. The latest of opt-in and opt-out counts.',
  }),
]

const presentRecipient = (row: ReportRow): z.input<typeof BroadcastRecipient> => ({
  object: 'broadcast_recipient',
  // One that cannot exist is shown as it was given.
  to: row.phone === null || row.reason === SKIPPED.phoneImpossible ? row.phone : `+${row.phone}`,
  contact_id: row.contact_id,
  status: row.status,
  reason: row.reason,
  message_id: row.message_id,
  message_status: row.message_status,
  message_error: row.message_error?.code ?? null,
  opt_in:
    row.opt_in_source === null || row.opt_in_at === null
      ? null
      : { source: row.opt_in_source, at: row.opt_in_at.toISOString() },
  sent_at: row.sent_at?.toISOString() ?? null,
})

type ConsentRoute = { id: string; path: `/${string}`; isGiven: boolean; summary: string; description: string }

const consentRoute = (context: BroadcastsContext, { isGiven, ...declared }: ConsentRoute): Route =>
  defineRoute({
    ...writing,
    ...declared,
    tag: 'Contacts',
    method: 'POST',
    params: contactParams,
    body: NewConsent,
    reply: { status: 200, body: ContactConsent },
    errors: [contactNotFound],
    example: {
      params: { id: consentExample.contact_id },
      body: { source: consentExample.source },
      reply: { ...consentExample, opted_in: isGiven },
    },
    async handle({ tx, body, params: { id }, caller: { orgId } }) {
      const contact = await findContactById(tx, orgId, id)
      if (contact === null) throw contactNotFound({ params: { id } })
      const at = new Date(body.at ?? context.clock.now())
      await saveConsent(tx, orgId, { contact_id: contact.id, is_given: isGiven, source: body.source, at })
      return presentConsent(tx, orgId, contact.id)
    },
  })

async function presentConsent(queries: Queries | Tx, orgId: OrgId, contactId: string) {
  const row = await findConsent(queries, orgId, contactId)
  if (row === null) throw new Error('a consent was saved and is not there')
  return {
    object: 'contact_consent' as const,
    ...{ contact_id: row.contact_id, opted_in: row.is_given, source: row.source, at: row.at.toISOString() },
  }
}
