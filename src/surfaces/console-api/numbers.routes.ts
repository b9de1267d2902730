import { z } from 'zod'
import type { Channels } from '../../channels/channels.ts'
import { numberAlreadyConnected, numberDisconnected, numberNotFound } from '../../channels/numbers/numbers.errors.ts'
import { NewNumber, NumberChange, NumberShape } from '../../channels/numbers/numbers.schemas.ts'
import {
  type BusinessNumber,
  createNumber,
  deleteNumber,
  getNumber,
  holdNumber,
  listNumbers,
  pauseNumber,
  presentNumber,
  resumeNumber,
  updateNumber,
} from '../../channels/numbers/numbers.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { defineChange, defineRoute, type Route } from '../../platform/http/define-route.ts'
import { textSchema } from '../../platform/http/schemas.ts'
import { vetBaseUrl } from '../../platform/outbound-http/egress.ts'
import { failureView, ProbeResult, probed, probeSignal } from './probes.ts'
import { session } from './sign-in/session-caller.ts'

/** Business numbers. Every member sees them, because chats name them; a secret is shown only by whether it is set. */
export type NumberRouteParts = {
  channels: Pick<Channels, 'context' | 'numbers'>
  /** Wakes the outbox after the commit, for lanes with new work. */
  wake: (orgIds: readonly OrgId[]) => void
}

const params = z.object({ id: textSchema(40, 1) })
const shared = { tag: 'Numbers', description: 'Of the console.' } as const
const managed = { ...shared, access: session('settings:manage') } as const

const example = {
  object: 'number',
  id: 'num_01kmz3v7n2e0a8tq9fj6hx5c4d',
  connector: 'simulator',
  phone_number_id: '100200300400500',
  display_phone: '+6281200009000',
  name: 'Shop',
  base_url: null,
  is_default: true,
  state: 'connected',
  state_reason: null,
  credentials: { app_secret: 'set' },
  settings: {},
  webhook_url: 'https://pay.example.com/hooks/simulator/num_01kmz3v7n2e0a8tq9fj6hx5c4d',
  health: { last_event_at: null, last_error: null, queued: 0 },
  created_at: '2026-11-14T09:30:00.000Z',
  updated_at: '2026-11-14T09:30:00.000Z',
}

const Templates = z
  .object({
    ok: z.boolean(),
    failure: ProbeResult.shape.failure,
    data: z.array(
      z.object({
        name: z.string(),
        language: z.string(),
        status: z.string(),
        category: z.string(),
        components: z.array(z.record(z.string(), z.unknown())),
      }),
    ),
  })
  .meta({ id: 'ChannelTemplates' })

export function numberRoutes(parts: NumberRouteParts): Route[] {
  return [...readingRoutes(parts), ...changingRoutes(parts), ...askingRoutes(parts)]
}

const readingRoutes = ({ channels: { context } }: NumberRouteParts): Route[] => [
  defineRoute({
    ...shared,
    id: 'listNumbers',
    method: 'GET',
    path: '/numbers',
    summary: 'List business numbers',
    access: session(null),
    reply: { status: 200, body: z.object({ data: z.array(NumberShape) }) },
    example: { reply: { data: [example] } },
    async handle({ caller: { orgId } }) {
      const rows = await listNumbers(context.database, orgId)
      const inOrder = [...rows.filter((row) => !isOver(row)), ...rows.filter(isOver)]
      return { data: await Promise.all(inOrder.map((row) => presentNumber(context, context.database, row))) }
    },
  }),
  defineRoute({
    ...shared,
    id: 'getNumber',
    method: 'GET',
    path: '/numbers/{id}',
    summary: 'Get a business number',
    access: session(null),
    params,
    reply: { status: 200, body: NumberShape },
    errors: [numberNotFound],
    example: { params: { id: example.id }, reply: example },
    handle: async ({ params: { id }, caller: { orgId }, queries }) =>
      presentNumber(context, queries, await getNumber(queries, orgId, id)),
  }),
]

const isOver = ({ state }: BusinessNumber) => state === 'disconnected'

function changingRoutes({ channels: { context }, wake }: NumberRouteParts): Route[] {
  const act = (
    id: string,
    route: { method: 'POST'; path: `/${string}`; summary: string },
    move: (tx: Tx, orgId: OrgId, numberId: string) => Promise<BusinessNumber>,
  ) =>
    defineRoute({
      ...managed,
      ...route,
      id,
      params,
      reply: { status: 200, body: NumberShape },
      errors: [numberNotFound, numberDisconnected],
      example: { params: { id: example.id }, reply: example },
      idempotency: 'transaction',
      async handle({ tx, params: { id: numberId }, caller: { orgId } }) {
        tx.afterCommit(() => wake([orgId]))
        return presentNumber(context, tx, await move(tx, orgId, numberId))
      },
    })
  return [
    connectRoute({ context }),
    defineChange({
      ...managed,
      id: 'updateNumber',
      method: 'PATCH',
      path: '/numbers/{id}',
      summary: 'Edit a business number',
      params,
      body: NumberChange,
      reply: { status: 200, body: NumberShape },
      errors: [numberNotFound, numberDisconnected],
      example: { params: { id: example.id }, body: { name: 'Shop' }, reply: example },
      precheck: ({ body }) => vetBaseUrl(body.base_url, context.egress),
      lock: (tx, { caller: { orgId }, params: { id } }) => holdNumber(tx, orgId, id),
      handle: async ({ tx, params: { id }, body, caller: { orgId } }) =>
        presentNumber(context, tx, await updateNumber(context, tx, orgId, { id, change: body })),
    }),
    act(
      'pauseNumber',
      { method: 'POST', path: '/numbers/{id}/pause', summary: 'Pause a business number' },
      (tx, orgId, id) => pauseNumber(context, tx, orgId, { id, reason: 'paused in the console' }),
    ),
    act(
      'resumeNumber',
      { method: 'POST', path: '/numbers/{id}/resume', summary: 'Resume a business number' },
      (tx, orgId, id) => resumeNumber(context, tx, orgId, { id }),
    ),
    defineChange({
      ...managed,
      id: 'deleteNumber',
      method: 'DELETE',
      path: '/numbers/{id}',
      summary: 'Disconnect a number',
      params,
      reply: { status: 200, body: NumberShape },
      errors: [numberNotFound, numberDisconnected],
      example: { params: { id: example.id }, reply: example },
      lock: (tx, { caller: { orgId }, params: { id } }) => holdNumber(tx, orgId, id),
      async handle({ tx, params: { id }, caller: { orgId } }) {
        const number = await deleteNumber(context, tx, orgId, { id })
        tx.afterCommit(() => wake([orgId]))
        return presentNumber(context, tx, number)
      },
    }),
  ]
}

const connectRoute = ({ context }: Pick<Channels, 'context'>): Route =>
  defineRoute({
    ...managed,
    id: 'createNumber',
    method: 'POST',
    path: '/numbers',
    summary: 'Connect a business number',
    body: NewNumber,
    reply: { status: 201, body: z.object({ number: NumberShape, generated: z.record(z.string(), z.string()) }) },
    errors: [numberAlreadyConnected],
    showsSecret: true,
    example: {
      body: { connector: 'simulator', phone_number_id: '100200300400500', display_phone: '+6281200009000' },
      reply: { number: example, generated: {} },
    },
    precheck: ({ body }) => vetBaseUrl(body.base_url, context.egress),
    idempotency: 'transaction',
    async handle({ tx, body, caller: { orgId } }) {
      const { number, generated } = await createNumber(context, tx, orgId, body)
      return { number: await presentNumber(context, tx, number), generated }
    },
  })

/** The answer of the network. It is asked outside of any transaction. */
function askingRoutes({ channels: { context, numbers } }: NumberRouteParts): Route[] {
  const open = async (orgId: OrgId, id: string) => {
    await getNumber(context.database, orgId, id)
    const opened = await numbers.open(orgId, id)
    if (opened === null) throw numberDisconnected({ params: { id } })
    return opened
  }
  return [
    defineRoute({
      ...managed,
      id: 'probeNumber',
      method: 'POST',
      path: '/numbers/{id}/probe',
      summary: 'Test the credentials',
      params,
      reply: { status: 200, body: ProbeResult },
      errors: [numberNotFound, numberDisconnected],
      example: { params: { id: example.id }, reply: { ok: true, failure: null, took_ms: 120 } },
      async handle({ params: { id }, caller: { orgId } }) {
        const { number, connector } = await open(orgId, id)
        return probed((signal) => connector.probe(number, signal))
      },
    }),
    defineRoute({
      ...shared,
      id: 'listTemplates',
      method: 'GET',
      path: '/numbers/{id}/templates',
      summary: 'List templates of a number',
      access: session(null),
      params,
      reply: { status: 200, body: Templates },
      errors: [numberNotFound, numberDisconnected],
      example: { params: { id: example.id }, reply: { ok: true, failure: null, data: [] } },
      async handle({ params: { id }, caller: { orgId } }) {
        const { number, connector } = await open(orgId, id)
        const outcome = await connector.listTemplates(number, probeSignal())
        if (outcome.kind === 'done') return { ok: true, failure: null, data: outcome.templates }
        return { ok: false, failure: failureView(outcome.failure), data: [] }
      },
    }),
  ]
}
