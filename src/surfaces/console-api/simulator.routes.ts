import { z } from 'zod'
import { getProfile } from '../../accounts/organizations/organizations.ts'
import { simulationImpossible, simulatorNumberNotFound } from '../../channels/connectors/simulator/simulator.errors.ts'
import type { Customers, Writing } from '../../channels/connectors/simulator/simulator.ts'
import { mediaNotFound } from '../../channels/media/media.errors.ts'
import { type MediaContext, readMedia } from '../../channels/media/media.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import { defineRoute, type Route } from '../../platform/http/define-route.ts'
import { breaksSchema } from '../../platform/http/pipeline/validation.ts'
import { idSchema } from '../../platform/http/schemas.ts'
import { impossiblePhone, parsePhone } from '../../platform/phone/phone-numbers.ts'
import { session } from './sign-in/session-caller.ts'
import {
  CustomerCart,
  CustomerMessage,
  CustomerReaction,
  CustomerReading,
  CustomerReply,
  People,
  ReadMessages,
  Written,
} from './simulator.schemas.ts'

/** Simulates the customer on simulator numbers. Their acts use the same route as a real network's hooks. */
export type SimulatorRouteParts = { database: Database; customers: Customers; media: MediaContext }

const shared = {
  tag: 'Simulator',
  description: 'Of the console.',
  access: session('simulator:use'),
  errors: [simulatorNumberNotFound, simulationImpossible, mediaNotFound],
} as const

const stageExample = { number_id: 'num_01kmz3v7n2e0a8tq9fj6hx5c4d', from: '+6281311112222' }
const writtenExample = {
  provider_ids: ['wamid.HBgM'],
  person: { phone: '6281311112222', user_id: 'ID.1349', username: null, name: 'Dewi' },
}

type Stage = { number_id: string; from: string; name?: string | undefined }

/** Phones as people of the organization's country write them. */
async function customerOf(database: Database, orgId: OrgId, { number_id, from, name }: Stage) {
  const { default_country } = await getProfile(database, orgId)
  const phone = parsePhone(from, default_country)
  if (phone === null) throw breaksSchema([impossiblePhone('#/from')])
  return { number: { orgId, id: number_id }, from: phone.e164, ...(name !== undefined && { name }) }
}

export const simulatorRoutes = (parts: SimulatorRouteParts): Route[] => [
  ...writingRoutes(parts),
  ...actingRoutes(parts),
  ...lookingRoutes(parts),
]

const writingRoutes = ({ database, customers, media }: SimulatorRouteParts): Route[] => [
  defineRoute({
    ...shared,
    id: 'simulateMessage',
    method: 'POST',
    path: '/simulator/messages',
    summary: 'Let a customer write',
    body: CustomerMessage,
    reply: { status: 201, body: Written },
    example: { body: { ...stageExample, text: 'Halo' }, reply: writtenExample },
    async handle({ body, caller: { orgId } }) {
      const customer = await customerOf(database, orgId, body)
      const replyTo = body.reply_to === undefined ? {} : { replyTo: body.reply_to }
      if (body.media === undefined)
        return customers.customerWrites({ ...customer, ...replyTo, content: contentOf(body) })
      return customers.customerSendsMedia({
        ...customer,
        ...replyTo,
        type: body.media.type,
        ...(await fileOf(media, orgId, body.media)),
        ...(body.text !== undefined && { caption: body.text }),
      })
    },
  }),
  defineRoute({
    ...shared,
    id: 'simulateCart',
    method: 'POST',
    path: '/simulator/carts',
    summary: 'Let a customer send the cart of a catalogue',
    body: CustomerCart,
    reply: { status: 201, body: Written },
    example: {
      body: { ...stageExample, items: [{ product_retailer_id: 'KOPI', quantity: 2, item_price: 18000 }] },
      reply: writtenExample,
    },
    async handle({ body, caller: { orgId } }) {
      const customer = await customerOf(database, orgId, body)
      const cart = {
        catalog_id: CATALOGUE,
        product_items: body.items.map((item) => ({ ...item, currency: 'IDR' })),
        ...(body.text !== undefined && { text: body.text }),
      }
      return customers.customerSendsOrder({ ...customer, cart })
    },
  }),
]

type GivenFile = NonNullable<z.output<typeof CustomerMessage>['media']>

/** The file is in the request or was uploaded before; in both cases the network gets a separate file. */
async function fileOf(media: MediaContext, orgId: OrgId, given: GivenFile) {
  if (!('id' in given)) {
    const { mime_type: mimeType, filename, base64 } = given
    return { mimeType, bytes: Buffer.from(base64, 'base64'), ...(filename !== undefined && { filename }) }
  }
  const { media: row, bytes } = await readMedia(media, orgId, given.id)
  return { mimeType: row.mime_type, bytes, ...(row.filename !== null && { filename: row.filename }) }
}

const CATALOGUE = '100000000000001'

function contentOf({ text, location }: z.output<typeof CustomerMessage>): Writing['content'] {
  const parts: Exclude<Writing['content'], readonly unknown[]>[] = []
  if (text !== undefined) parts.push({ type: 'text', body: text })
  if (location !== undefined) {
    const { latitude, longitude, name, address } = location
    const place = { latitude, longitude, ...(name && { name }), ...(address && { address }) }
    parts.push({ type: 'location', location: place })
  }
  return parts
}

const actingRoutes = ({ database, customers }: SimulatorRouteParts): Route[] => [
  defineRoute({
    ...shared,
    id: 'simulateReply',
    method: 'POST',
    path: '/simulator/replies',
    summary: 'Let a customer tap on a button or a row',
    body: CustomerReply,
    reply: { status: 201, body: Written },
    example: {
      body: { ...stageExample, message_id: 'msg_01kmz3v7n2e0a8tq9fj6hx5c4d', choice: '1' },
      reply: writtenExample,
    },
    handle: async ({ body, caller: { orgId } }) =>
      customers.customerReplies({
        ...(await customerOf(database, orgId, body)),
        messageId: body.message_id,
        choice: body.choice,
      }),
  }),
  defineRoute({
    ...shared,
    id: 'simulateReaction',
    method: 'POST',
    path: '/simulator/reactions',
    summary: 'Let a customer react',
    body: CustomerReaction,
    reply: { status: 201, body: Written },
    example: {
      body: { ...stageExample, message_id: 'msg_01kmz3v7n2e0a8tq9fj6hx5c4d', emoji: '👍' },
      reply: writtenExample,
    },
    handle: async ({ body, caller: { orgId } }) =>
      customers.customerReacts({
        ...(await customerOf(database, orgId, body)),
        messageId: body.message_id,
        emoji: body.emoji,
      }),
  }),
  defineRoute({
    ...shared,
    id: 'simulateRead',
    method: 'POST',
    path: '/simulator/reads',
    summary: 'Let a customer read what they were sent',
    body: CustomerReading,
    reply: { status: 200, body: ReadMessages },
    example: { body: stageExample, reply: { read: ['msg_01kmz3v7n2e0a8tq9fj6hx5c4d'] } },
    async handle({ body, caller: { orgId } }) {
      const customer = await customerOf(database, orgId, body)
      const one = body.message_id === undefined ? {} : { messageId: body.message_id }
      return { read: await customers.customerReads({ ...customer, ...one }) }
    },
  }),
]

const lookingRoutes = ({ customers }: SimulatorRouteParts): Route[] => [
  defineRoute({
    ...shared,
    id: 'listSimulatedPeople',
    method: 'GET',
    path: '/simulator/people',
    summary: 'Who wrote to a simulator number',
    query: z.object({ number_id: idSchema('num') }),
    reply: { status: 200, body: People },
    example: { query: { number_id: stageExample.number_id }, reply: { data: [] } },
    async handle({ query: { number_id: id }, caller: { orgId } }) {
      const rows = await customers.listPeople({ orgId, id })
      return { data: rows.map((row) => ({ ...row, last_wrote_at: row.last_wrote_at.toISOString() })) }
    },
  }),
]
