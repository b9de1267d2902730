import type { z } from 'zod'
import { getProfile } from '../../accounts/organizations/organizations.ts'
import { simulationImpossible, simulatorNumberNotFound } from '../../channels/connectors/simulator/simulator.errors.ts'
import {
  CATALOG_ID,
  type Customer,
  type Customers,
  type InboundOrigin,
  simulatedAd,
  type Writing,
} from '../../channels/connectors/simulator/simulator.ts'
import { mediaNotFound } from '../../channels/media/media.errors.ts'
import { type MediaContext, readMedia } from '../../channels/media/media.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import { defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import { breaksSchema } from '../../platform/http/pipeline/validation.ts'
import { impossiblePhone, parsePhone } from '../../platform/phone/phone-numbers.ts'
import { getWritten, nameForNetwork } from './named-messages.ts'
import {
  CustomerCall,
  CustomerCart,
  CustomerDeletion,
  CustomerEdit,
  CustomerMessage,
  CustomerNumberChange,
  CustomerPreferences,
  CustomerReaction,
  CustomerReading,
  CustomerReply,
  NumberQuery,
  People,
  ReadMessages,
  Written,
} from './simulator-api.schemas.ts'
import { getSimulatorNumber } from './simulator-numbers.ts'

/** Plays the customers of simulator numbers. Their acts enter the server like the hooks of a real network. */
export type CustomerRouteParts = { database: Database; customers: Customers; media: MediaContext }

const shared = {
  tag: 'Simulator',
  errors: [simulatorNumberNotFound, simulationImpossible],
} as const

/** An act is a hook of the network, which commits in transactions of the journal. */
const act = { ...shared, method: 'POST', access: key('messages:send'), idempotency: 'after' } as const

const from = { from: '+6281311112222' }
const message_id = 'msg_01kmz3v7n2e0a8tq9fj6hx5c4d'
const writtenExample = {
  provider_ids: ['wamid.HBgM'],
  person: { phone: '6281311112222', user_id: 'ID.1349', username: null, name: 'Dewi' },
}

type Given = { number?: string | undefined; from: string; name?: string | undefined; username?: string | undefined }

export const customerRoutes = (parts: CustomerRouteParts): Route[] => [
  ...writingRoutes(parts),
  ...changingRoutes(parts),
  ...actingRoutes(parts),
  ...standingRoutes(parts),
  ...lookingRoutes(parts),
]

/** The customer in a request, with the phone as people of the organization's country write it. */
async function customerOf(database: Database, orgId: OrgId, given: Given): Promise<Customer & { from: string }> {
  const { name, username } = given
  const number = await getSimulatorNumber(database, orgId, given.number)
  return {
    number: { orgId, id: number.id },
    from: await readPhone(database, orgId, { text: given.from, pointer: '#/from' }),
    ...(name !== undefined && { name }),
    ...(username !== undefined && { username }),
  }
}

async function readPhone(
  database: Database,
  orgId: OrgId,
  { text, pointer }: { text: string; pointer: `#/${string}` },
): Promise<string> {
  const { default_country } = await getProfile(database, orgId)
  const phone = parsePhone(text, default_country)
  if (phone === null) throw breaksSchema([impossiblePhone(pointer)])
  return phone.e164
}

const writingRoutes = ({ database, customers, media }: CustomerRouteParts): Route[] => [
  defineRoute({
    ...act,
    errors: [...shared.errors, mediaNotFound],
    id: 'simulateMessage',
    path: '/simulator/messages',
    summary: 'Write as a customer',
    description:
      'A simulated customer writes to a simulator number. The server receives the message as it receives those of a real customer, within a moment.',
    body: CustomerMessage,
    reply: { status: 201, body: Written },
    example: { body: { ...from, name: 'Dewi', text: 'Halo' }, reply: writtenExample },
    async handle({ body, caller: { orgId } }) {
      const writing = {
        ...(await customerOf(database, orgId, body)),
        ...(body.hide_phone === true && { isPhoneHidden: true }),
        ...(body.reply_to !== undefined && { replyTo: await nameForNetwork(database, orgId, body.reply_to) }),
        origin: originOf(body),
      }
      if (body.media === undefined) return customers.customerWrites({ ...writing, content: contentOf(body) })
      return customers.customerSendsMedia({
        ...writing,
        ...(await fileOf(media, orgId, body.media)),
        ...(body.text !== undefined && { caption: body.text }),
      })
    },
  }),
  defineRoute({
    ...act,
    id: 'simulateCart',
    path: '/simulator/carts',
    summary: 'Send a cart as a customer',
    description: 'A simulated customer sends the cart of a catalog. It becomes an order in `draft`.',
    body: CustomerCart,
    reply: { status: 201, body: Written },
    example: {
      body: { ...from, items: [{ product_retailer_id: 'KOPI', quantity: 2, item_price: 18000 }] },
      reply: writtenExample,
    },
    async handle({ body, caller: { orgId } }) {
      const cart = {
        catalog_id: CATALOG_ID,
        product_items: body.items.map((item) => ({ ...item, currency: 'IDR' })),
        ...(body.text !== undefined && { text: body.text }),
      }
      return customers.customerSendsOrder({ ...(await customerOf(database, orgId, body)), cart })
    },
  }),
]

const changingRoutes = ({ database, customers }: CustomerRouteParts): Route[] => {
  const authorOf = async (orgId: OrgId, body: Given & { message_id: string }) => {
    const customer = await customerOf(database, orgId, body)
    const author = { numberId: customer.number.id as Id<'num'>, phone: customer.from, given: body.message_id }
    return { ...customer, ...(await getWritten(database, orgId, author)) }
  }
  return [
    defineRoute({
      ...act,
      id: 'simulateEdit',
      path: '/simulator/edits',
      summary: 'Edit a message as a customer',
      description: 'A simulated customer edits the text or the caption of a message that they wrote.',
      body: CustomerEdit,
      reply: { status: 201, body: Written },
      example: { body: { ...from, message_id, text: 'Halo lagi' }, reply: writtenExample },
      handle: async ({ body, caller: { orgId } }) =>
        customers.customerEdits({ ...(await authorOf(orgId, body)), text: body.text }),
    }),
    defineRoute({
      ...act,
      id: 'simulateDeletion',
      path: '/simulator/deletions',
      summary: 'Delete a message as a customer',
      description: 'A simulated customer deletes a message that they wrote, for everyone.',
      body: CustomerDeletion,
      reply: { status: 201, body: Written },
      example: { body: { ...from, message_id }, reply: writtenExample },
      handle: async ({ body, caller: { orgId } }) => customers.customerDeletes(await authorOf(orgId, body)),
    }),
  ]
}

type Body = z.output<typeof CustomerMessage>

/** The file is in the request or was uploaded before; in both cases the network gets a separate file. */
async function fileOf(media: MediaContext, orgId: OrgId, given: NonNullable<Body['media']>) {
  const { type, voice: isVoice = false } = given
  if (!('id' in given)) {
    const { mime_type: mimeType, filename, base64 } = given
    return {
      type,
      isVoice,
      mimeType,
      bytes: Buffer.from(base64, 'base64'),
      ...(filename !== undefined && { filename }),
    }
  }
  const { media: row, bytes } = await readMedia(media, orgId, given.id)
  return { type, isVoice, mimeType: row.mime_type, bytes, ...(row.filename !== null && { filename: row.filename }) }
}

const originOf = ({ ad, product, forwarded, frequently_forwarded }: Body): InboundOrigin => ({
  ...(ad !== undefined && { referral: simulatedAd(ad) }),
  ...(product !== undefined && { referredProduct: { catalog_id: CATALOG_ID, product_retailer_id: product } }),
  ...(forwarded === true && { isForwarded: true }),
  ...(frequently_forwarded === true && { isFrequentlyForwarded: true }),
})

function contentOf({ text, location, contacts, unsupported }: Body): Writing['content'] {
  const parts: Exclude<Writing['content'], readonly unknown[]>[] = []
  if (text !== undefined) parts.push({ type: 'text', body: text })
  if (location !== undefined) {
    const { latitude, longitude, name, address } = location
    const place = { latitude, longitude, ...(name && { name }), ...(address && { address }) }
    parts.push({ type: 'location', location: place })
  }
  if (contacts !== undefined) parts.push({ type: 'contacts', contacts } as (typeof parts)[number])
  if (unsupported !== undefined) parts.push({ type: 'unsupported', unsupported: { type: unsupported } })
  return parts
}

const actingRoutes = ({ database, customers }: CustomerRouteParts): Route[] => [
  defineRoute({
    ...act,
    id: 'simulateReply',
    path: '/simulator/replies',
    summary: 'Tap a button or list row as a customer',
    description:
      'A simulated customer taps a button, a quick reply or a list row of a message that they received, or completes its flow.',
    body: CustomerReply,
    reply: { status: 201, body: Written },
    example: { body: { ...from, message_id, choice: '1' }, reply: writtenExample },
    handle: async ({ body, caller: { orgId } }) =>
      customers.customerReplies({
        ...(await customerOf(database, orgId, body)),
        messageId: await nameForNetwork(database, orgId, body.message_id),
        ...(body.flow_response === undefined ? { choice: body.choice ?? '' } : { flowResponse: body.flow_response }),
      }),
  }),
  defineRoute({
    ...act,
    id: 'simulateReaction',
    path: '/simulator/reactions',
    summary: 'React as a customer',
    description: 'A simulated customer reacts to a message, or removes the reaction.',
    body: CustomerReaction,
    reply: { status: 201, body: Written },
    example: { body: { ...from, message_id, emoji: '👍' }, reply: writtenExample },
    handle: async ({ body, caller: { orgId } }) =>
      customers.customerReacts({
        ...(await customerOf(database, orgId, body)),
        messageId: await nameForNetwork(database, orgId, body.message_id),
        emoji: body.emoji,
      }),
  }),
  defineRoute({
    ...act,
    id: 'simulateRead',
    path: '/simulator/reads',
    summary: 'Read messages as a customer',
    description: 'A simulated customer reads one message, or all that are unread. The network reports `read`.',
    body: CustomerReading,
    reply: { status: 200, body: ReadMessages },
    example: { body: from, reply: { read: [message_id] } },
    async handle({ body, caller: { orgId } }) {
      const customer = await customerOf(database, orgId, body)
      if (body.message_id === undefined) return { read: await customers.customerReads(customer) }
      const messageId = await nameForNetwork(database, orgId, body.message_id)
      return { read: await customers.customerReads({ ...customer, messageId }) }
    },
  }),
  defineRoute({
    ...act,
    id: 'simulateNumberChange',
    path: '/simulator/number-changes',
    summary: 'Change the phone number of a customer',
    description: 'A simulated customer changes the phone number. The chat moves with them.',
    body: CustomerNumberChange,
    reply: { status: 201, body: Written },
    example: { body: { ...from, new_phone: '+6281399998888' }, reply: writtenExample },
    handle: async ({ body, caller: { orgId } }) =>
      customers.customerChangesNumber({
        ...(await customerOf(database, orgId, body)),
        to: await readPhone(database, orgId, { text: body.new_phone, pointer: '#/new_phone' }),
      }),
  }),
]

const standingRoutes = ({ database, customers }: CustomerRouteParts): Route[] => [
  defineRoute({
    ...act,
    id: 'simulateCall',
    path: '/simulator/calls',
    summary: 'Call as a customer',
    description:
      'A simulated customer calls the business. No one can answer; the call opens the reply window as a message does.',
    body: CustomerCall,
    reply: { status: 201, body: Written },
    example: { body: from, reply: writtenExample },
    handle: async ({ body, caller: { orgId } }) => customers.customerCalls(await customerOf(database, orgId, body)),
  }),
  defineRoute({
    ...act,
    id: 'simulatePreferences',
    path: '/simulator/preferences',
    summary: 'Opt out or block as a customer',
    description:
      'A simulated customer opts out of marketing messages, or blocks the business. Templates of the category MARKETING then fail with 131050.',
    body: CustomerPreferences,
    reply: { status: 204, body: null, description: 'Set.' },
    example: { body: { ...from, marketing: 'stop' }, reply: null },
    async handle({ body, caller: { orgId } }) {
      const { marketing, blocked: hasBlocked } = body
      await customers.customerPrefers({ ...(await customerOf(database, orgId, body)), marketing, hasBlocked })
      return undefined
    },
  }),
]

const lookingRoutes = ({ database, customers }: CustomerRouteParts): Route[] => [
  defineRoute({
    ...shared,
    id: 'listSimulatedPeople',
    method: 'GET',
    path: '/simulator/people',
    access: key('chats:read'),
    summary: 'List simulated customers',
    description: 'The customers who have written to a simulator number, the most recent first.',
    query: NumberQuery,
    reply: { status: 200, body: People },
    example: { reply: { data: [] } },
    async handle({ query, caller: { orgId } }) {
      const { id } = await getSimulatorNumber(database, orgId, query.number)
      const rows = await customers.listPeople({ orgId, id })
      return { data: rows.map((row) => ({ ...row, last_wrote_at: row.last_wrote_at.toISOString() })) }
    },
  }),
]
