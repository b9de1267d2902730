import { getApiKey } from '../../../accounts/keys/keys.ts'
import { getProfile } from '../../../accounts/organizations/organizations.ts'
import { listMembers } from '../../../accounts/people/people.ts'
import { getApproval } from '../../../agents/approvals/approvals.ts'
import { findAgentRow } from '../../../agents/records/records.ts'
import { findNumber } from '../../../channels/numbers/numbers.ts'
import { getEvent } from '../../../events/events.ts'
import { ProblemError } from '../../../kernel/errors.ts'
import { type IdPrefix, isId, type OrgId } from '../../../kernel/ids.ts'
import { findNamedContacts, findReferredChats } from '../../../messaging/chats/chats.ts'
import { findReference } from '../../../messaging/contacts/contacts.ts'
import { getMessage } from '../../../messaging/messages/messages.ts'
import { findPaymentOfOrder, getOrder, listOrders } from '../../../orders/orders/orders.ts'
import type { OrdersContext } from '../../../orders/orders-context.ts'
import { getRefundById } from '../../../payments/payments.ts'
import type { Database } from '../../../platform/database/database.ts'
import { parsePhone } from '../../../platform/phone/phone-numbers.ts'
import { getRequestLog } from '../../../request-logs/request-logs.ts'
import { getDelivery } from '../../../webhooks/deliveries/deliveries.ts'
import { getEndpoint } from '../../../webhooks/endpoints/endpoints.ts'

/**
 * From what a person has at hand (an id of any kind, a phone, a name, an order number, a reference, an email) to where it is in
 * the console. The form of the words decides where to look, so each search is a few look-ups by key.
 */
export type Found = {
  type: string
  id: string
  title: string
  detail: string | null
  /** The status of an order; the console translates it. */
  order_status?: string
  path: string
}

export type SearchParts = { database: Database; orders: OrdersContext }

/** A scope or a power. */
type Right = string

export type SearchRequest = { orgId: OrgId; words: string; may: (right: Right) => boolean }

type Finder = (parts: SearchParts, orgId: OrgId, id: string) => Promise<Found | null>

const opened = (page: string, id: string) => `/${page}?open=${encodeURIComponent(id)}`
const pageOf = (page: string, id: string) => `/${page}/${encodeURIComponent(id)}`

const byId: Partial<Record<IdPrefix, { right: Right | null; find: Finder }>> = {
  chat: { right: 'chats:read', find: (parts, orgId, id) => findChats(parts, orgId, id).then(([chat]) => chat ?? null) },
  con: { right: 'chats:read', find: (parts, orgId, id) => findChats(parts, orgId, id).then(([chat]) => chat ?? null) },
  msg: {
    right: 'chats:read',
    async find({ database }, orgId, id) {
      const { chat_id, body, direction } = await getMessage(database, orgId, id)
      return { type: 'message', id, title: body?.slice(0, 80) ?? id, detail: direction, path: opened('chats', chat_id) }
    },
  },
  ord: {
    right: 'orders:read',
    find: async ({ database }, orgId, id) => orderFound(await getOrder(database, orgId, id)),
  },
  pay: {
    right: 'orders:read',
    async find({ database }, orgId, id) {
      const payment = await findPaymentOfOrder(database, orgId, id)
      if (payment === null) return null
      const { order_id, status, method } = payment
      return { type: 'payment', id, title: id, detail: `${method}, ${status}`, path: pageOf('orders', order_id) }
    },
  },
  rfd: {
    right: 'orders:read',
    async find({ database }, orgId, id) {
      const refund = await getRefundById(database, orgId, id)
      if (refund === null) return null
      return { type: 'payment', id, title: id, detail: refund.status, path: pageOf('orders', refund.order_id) }
    },
  },
  evt: {
    right: 'events:read',
    async find({ database }, orgId, id) {
      const { type, subject } = await getEvent(database, orgId, id)
      return { type: 'event', id, title: type, detail: subject, path: opened('events', id) }
    },
  },
  dlv: {
    right: 'webhooks:read',
    async find({ database }, orgId, id) {
      const { type, status } = await getDelivery(database, orgId, id)
      return { type: 'delivery', id, title: type, detail: status, path: opened('deliveries', id) }
    },
  },
  wep: {
    right: 'webhooks:read',
    async find({ database }, orgId, id) {
      const { url, state } = await getEndpoint(database, orgId, id)
      return { type: 'endpoint', id, title: new URL(url).host, detail: state, path: pageOf('webhooks', id) }
    },
  },
  req: {
    right: 'logs:read',
    async find({ database }, orgId, id) {
      const log = await getRequestLog(database, orgId, id)
      if (log === null) return null
      const title = `${log.method} ${log.path}`
      return { type: 'request', id, title, detail: String(log.status), path: opened('logs', id) }
    },
  },
  key: {
    right: 'keys:manage',
    async find({ database }, orgId, id) {
      const { name, key_prefix } = await getApiKey(database, orgId, id)
      return { type: 'key', id, title: name, detail: key_prefix, path: pageOf('keys', id) }
    },
  },
  agt: {
    right: 'agents:manage',
    async find({ database }, orgId, id) {
      const agent = await findAgentRow(database, orgId, id)
      if (agent === null) return null
      return { type: 'agent', id, title: agent.name, detail: agent.purpose, path: pageOf('agents', id) }
    },
  },
  apr: {
    right: 'approvals:decide',
    async find({ database }, orgId, id) {
      const { agent_name, operation } = await getApproval(database, { orgId, type: 'user', id: '' }, id)
      return { type: 'approval', id, title: agent_name, detail: operation, path: `/approvals/${id}` }
    },
  },
  num: {
    right: null,
    async find({ database }, orgId, id) {
      const number = await findNumber(database, orgId, id)
      if (number === null) return null
      return { type: 'number', id, title: number.name, detail: number.display_phone, path: '/settings?tab=numbers' }
    },
  },
  usr: {
    right: null,
    find: async (parts, orgId, id) => (await findPeople(parts, orgId, ({ person_id }) => person_id === id))[0] ?? null,
  },
}

export async function search(parts: SearchParts, { orgId, words, may }: SearchRequest): Promise<Found[]> {
  const written = words.trim()
  const prefix = written.slice(0, Math.max(written.indexOf('_'), 0)) as IdPrefix
  const finder = byId[prefix]
  if (finder !== undefined && isId(prefix, written)) {
    const found =
      finder.right === null || may(finder.right) ? await orNothing(finder.find(parts, orgId, written)) : null
    return found === null ? [] : [found]
  }
  if (written.length < 2) return []
  const [chats, orders, people] = await Promise.all([
    may('chats:read') ? findCustomers(parts, orgId, written) : [],
    may('orders:read') ? findOrders(parts, orgId, written) : [],
    written.includes('@') ? findPeople(parts, orgId, ({ email }) => email.startsWith(written.toLowerCase())) : [],
  ])
  return [...people, ...chats, ...orders]
}

/** Resources of another organization, and deleted ones, are not found. */
const orNothing = (finding: Promise<Found | null>): Promise<Found | null> =>
  finding.catch((error) => {
    if (error instanceof ProblemError && error.status === 404) return null
    throw error
  })

const SHOWN_MAX = 10

async function findChats({ database }: SearchParts, orgId: OrgId, words: string): Promise<Found[]> {
  const { default_country } = await getProfile(database, orgId)
  const reference = await findReference(database, orgId, words, default_country)
  const chats = reference === null ? [] : await findReferredChats(database, orgId, reference)
  return chats.slice(0, SHOWN_MAX).map(chatFound)
}

type FoundChat = { id: string; contact: { name: string | null; phone: string | null } }

function chatFound({ id, contact }: FoundChat): Found {
  const phone = contact.phone === null ? null : `+${contact.phone}`
  return { type: 'chat', id, title: contact.name ?? phone ?? id, detail: phone, path: opened('chats', id) }
}

/** A short number is one of an order, and no phone. */
const PHONE_DIGITS_MIN = 7

async function findCustomers(parts: SearchParts, orgId: OrgId, words: string): Promise<Found[]> {
  if (/^#?\d+$/.test(words) && words.length < PHONE_DIGITS_MIN) return []
  const chats = await findChats(parts, orgId, words)
  return chats.length > 0 ? chats : findByName(parts, orgId, words)
}

/** The chats of a customer, and the customer, who is shown beside the first of them. */
async function findByName({ database }: SearchParts, orgId: OrgId, words: string): Promise<Found[]> {
  const { default_country: country } = await getProfile(database, orgId)
  const people = await findNamedContacts(database, orgId, { words, country, limit: SHOWN_MAX })
  const found = people.flatMap(({ contact, chats }) => {
    const [first] = chats.map(chatFound)
    if (first === undefined) return []
    return [...chats.map(chatFound), { ...first, type: 'contact', id: contact.id, path: `${first.path}&pane=person` }]
  })
  return found.slice(0, SHOWN_MAX)
}

const NO_FILTER = {
  statuses: null,
  paymentStatuses: null,
  phone: null,
  chatIds: null,
  reference: null,
  paymentLinkId: null,
  needsReview: null,
  fromId: null,
  beforeId: null,
  updatedFrom: null,
  updatedBefore: null,
}

async function findOrders({ database, orders }: SearchParts, orgId: OrgId, words: string): Promise<Found[]> {
  const { default_country } = await getProfile(database, orgId)
  const number = /^#?\d{1,15}$/.test(words) ? Number(words.replace('#', '')) : null
  const phone = parsePhone(words, default_country)?.e164 ?? null
  const found = await listOrders(orders, orgId, {
    ...NO_FILTER,
    search: { number, text: words, phone },
    limit: SHOWN_MAX,
  })
  return found.map((order) => ({
    type: 'order',
    id: order.id,
    title: `#${order.number}`,
    detail: order.customer.name ?? order.customer.phone,
    order_status: order.status,
    path: pageOf('orders', order.id),
  }))
}

const orderFound = (order: { id: string; number: number; status: string; customer_name: string | null }): Found => ({
  type: 'order',
  id: order.id,
  title: `#${order.number}`,
  detail: order.customer_name,
  order_status: order.status,
  path: pageOf('orders', order.id),
})

type Member = Awaited<ReturnType<typeof listMembers>>[number]

async function findPeople(
  { database }: SearchParts,
  orgId: OrgId,
  isMeant: (member: Member) => boolean,
): Promise<Found[]> {
  const members = (await listMembers(database, orgId)).filter(isMeant).slice(0, SHOWN_MAX)
  return members.map(({ person_id: id, name, email }) => ({
    type: 'person',
    id,
    title: name,
    detail: email,
    path: '/people',
  }))
}
