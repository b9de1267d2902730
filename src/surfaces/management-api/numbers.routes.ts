import { z } from 'zod'
import { sandboxSimulatorsOnly } from '../../accounts/accounts.errors.ts'
import type { ChannelsContext } from '../../channels/channels-context.ts'
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
import { defineList, placeById } from '../../platform/http/define-list.ts'
import { defineChange, defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import { valueRefused } from '../../platform/http/http.errors.ts'
import { idSchema, textSchema } from '../../platform/http/schemas.ts'
import { vetBaseUrl } from '../../platform/outbound-http/egress.ts'
import { beyondSchema, pageOf, pageQuery } from './shared.ts'

/** Business numbers by API. Credentials are write-only: an answer says whether each is set. */
export type NumberRouteParts = {
  numbers: ChannelsContext
  /** Wakes the outbox after the commit, for lanes with new work. */
  wake: (orgIds: readonly OrgId[]) => void
}

const params = z.object({ id: idSchema('num') })
const shared = { tag: 'Numbers' } as const
const managed = { ...shared, access: key('settings:write') } as const

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
  health: { last_event_at: null, last_error: null, queued: 0, reports: [] },
  created_at: '2026-11-14T09:30:00.000Z',
  updated_at: '2026-11-14T09:30:00.000Z',
}
const paramsExample = { id: example.id }

const ConnectedNumber = NumberShape.extend({
  generated: z.record(textSchema(64), textSchema(500)).meta({
    maxProperties: 20,
    description: 'Credentials that the server generated, such as a verify token. Only in this response.',
  }),
}).meta({ id: 'ConnectedNumber', description: 'A business number that was just connected.' })

export const numberRoutes = (parts: NumberRouteParts): Route[] => [...readingRoutes(parts), ...changingRoutes(parts)]

const readingRoutes = ({ numbers }: NumberRouteParts): Route[] => [
  defineList({
    ...shared,
    id: 'listNumbers',
    path: '/numbers',
    summary: 'List business numbers',
    description: 'All business numbers of the organization, newest first. Disconnected numbers stay listed.',
    access: key('settings:read'),
    query: pageQuery,
    item: NumberShape,
    example: { items: [example] },
    list: 'numbers',
    sort: '-id',
    read: async ({ caller: { orgId }, queries, ...page }) => pageOf(await listNumbers(queries, orgId), page),
    place: placeById,
    present: (rows, { queries }) => Promise.all(rows.map((row) => presentNumber(numbers, queries, row))),
  }),
  defineRoute({
    ...shared,
    id: 'getNumber',
    method: 'GET',
    path: '/numbers/{id}',
    summary: 'Get a business number',
    description: 'Returns one business number with its state, settings and health.',
    access: key('settings:read'),
    params,
    reply: { status: 200, body: NumberShape },
    errors: [numberNotFound],
    example: { params: paramsExample, reply: example },
    handle: async ({ params: { id }, caller: { orgId }, queries }) =>
      presentNumber(numbers, queries, await getNumber(queries, orgId, id)),
  }),
]

type Move = (tx: Tx, orgId: OrgId, id: string) => Promise<BusinessNumber>

function changingRoutes({ numbers, wake }: NumberRouteParts): Route[] {
  const act = (route: { id: string; path: `/${string}`; summary: string; description: string }, move: Move) =>
    defineRoute({
      ...managed,
      ...route,
      method: 'POST',
      params,
      reply: { status: 200, body: NumberShape },
      errors: [numberNotFound, numberDisconnected],
      idempotency: 'transaction',
      example: { params: paramsExample, reply: example },
      async handle({ tx, params: { id }, caller: { orgId } }) {
        tx.afterCommit(() => wake([orgId]))
        return presentNumber(numbers, tx, await move(tx, orgId, id))
      },
    })
  return [
    connectRoute(numbers),
    defineChange({
      ...managed,
      id: 'updateNumber',
      method: 'PATCH',
      path: '/numbers/{id}',
      summary: 'Edit a business number',
      description:
        'Changes the fields you send. Credentials and settings are replaced one by one, and `null` removes one. Another `base_url` needs all credentials again.',
      params,
      body: NumberChange,
      reply: { status: 200, body: NumberShape },
      errors: [numberNotFound, numberDisconnected, valueRefused],
      example: { params: paramsExample, body: { name: 'Shop' }, reply: example },
      precheck: ({ body }) => vetBaseUrl(body.base_url, numbers.egress),
      lock: (tx, { caller: { orgId }, params: { id } }) => holdNumber(tx, orgId, id),
      handle: ({ tx, params: { id }, body, caller: { orgId } }) =>
        beyondSchema(async () =>
          presentNumber(numbers, tx, await updateNumber(numbers, tx, orgId, { id, change: body })),
        ),
    }),
    act(
      {
        id: 'pauseNumber',
        path: '/numbers/{id}/pause',
        summary: 'Pause a business number',
        description: 'Stops sending from the number. Messages stay queued, and incoming messages still arrive.',
      },
      (tx, orgId, id) => pauseNumber(numbers, tx, orgId, { id, reason: 'paused by API' }),
    ),
    act(
      {
        id: 'resumeNumber',
        path: '/numbers/{id}/resume',
        summary: 'Resume a business number',
        description: 'Sends from the number again, beginning with the messages that are queued.',
      },
      (tx, orgId, id) => resumeNumber(numbers, tx, orgId, { id }),
    ),
    defineChange({
      ...managed,
      id: 'deleteNumber',
      method: 'DELETE',
      path: '/numbers/{id}',
      summary: 'Disconnect a business number',
      description:
        'Deletes the credentials of the number and fails its queued messages. Its chats stay. Connecting the same `phone_number_id` again continues them.',
      params,
      reply: { status: 200, body: NumberShape },
      errors: [numberNotFound],
      example: { params: paramsExample, reply: { ...example, state: 'disconnected', state_reason: 'deleted' } },
      lock: (tx, { caller: { orgId }, params: { id } }) => holdNumber(tx, orgId, id),
      async handle({ tx, params: { id }, caller: { orgId } }) {
        const number = await deleteNumber(numbers, tx, orgId, { id })
        tx.afterCommit(() => wake([orgId]))
        return presentNumber(numbers, tx, number)
      },
    }),
  ]
}

const connectRoute = (numbers: ChannelsContext): Route =>
  defineRoute({
    ...managed,
    id: 'createNumber',
    method: 'POST',
    path: '/numbers',
    summary: 'Connect a business number',
    description:
      'Connects a number of WhatsApp (`whatsapp-cloud`) or of the simulator. Which `credentials` and `settings` it takes depends on the connector; a missing or wrong one is 409 `value_refused`. Register `webhook_url` at the network.',
    body: NewNumber,
    reply: { status: 201, body: ConnectedNumber },
    location: ({ id }) => `/numbers/${id}`,
    errors: [numberAlreadyConnected, sandboxSimulatorsOnly, valueRefused],
    idempotency: 'transaction',
    showsSecret: true,
    example: {
      body: { connector: 'simulator', phone_number_id: '100200300400500', display_phone: '+6281200009000' },
      reply: { ...example, generated: {} },
    },
    precheck: ({ body }) => vetBaseUrl(body.base_url, numbers.egress),
    handle: ({ tx, body, caller: { orgId } }) =>
      beyondSchema(async () => {
        const { number, generated } = await createNumber(numbers, tx, orgId, body)
        return { ...(await presentNumber(numbers, tx, number)), generated }
      }),
  })
