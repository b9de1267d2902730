import { getProfile } from '../../accounts/organizations/organizations.ts'
import { simulationImpossible, simulatorNumberNotFound } from '../../channels/connectors/simulator/simulator.errors.ts'
import {
  addressesOf,
  type Customers,
  type RuleFor,
  type SentRow,
} from '../../channels/connectors/simulator/simulator.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { listMessagesById, presentMessage } from '../../messaging/messages/messages.ts'
import type { Database } from '../../platform/database/database.ts'
import { defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import { parameterInvalid } from '../../platform/http/http.errors.ts'
import { breaksSchema } from '../../platform/http/pipeline/validation.ts'
import { impossiblePhone, parsePhone } from '../../platform/phone/phone-numbers.ts'
import { nameForNetwork } from './named-messages.ts'
import {
  NetworkStatus,
  NewRule,
  NumberQuery,
  Rules,
  SentMessages,
  SentQuery,
  sentExample,
} from './simulator-api.schemas.ts'
import { getSimulatorNumber } from './simulator-numbers.ts'

/** The simulated phone network: what it was asked to deliver, and what it reports. */
export type NetworkRouteParts = { database: Database; customers: Customers }

const shared = { tag: 'Simulator', errors: [simulatorNumberNotFound, simulationImpossible] } as const

export const networkRoutes = (parts: NetworkRouteParts): Route[] => [...sentRoutes(parts), ...ruleRoutes(parts)]

const sentRoutes = ({ database, customers }: NetworkRouteParts): Route[] => [
  defineRoute({
    ...shared,
    id: 'listSimulatedMessages',
    method: 'GET',
    path: '/simulator/messages',
    access: key('chats:read'),
    summary: 'List messages that customers received',
    description:
      'The messages that you sent from a simulator number and the network accepted, oldest first. With `wait` the answer comes as soon as `count` messages match, so a test needs no sleep; when the time is over, it has fewer.',
    query: SentQuery,
    reply: { status: 200, body: SentMessages },
    errors: [simulatorNumberNotFound],
    example: { query: { to: '+6281311112222', wait: '5' }, reply: { data: [sentExample] } },
    async handle({ query, caller: { orgId }, request }) {
      const { id } = await getSimulatorNumber(database, orgId, query.number)
      const { after, limit } = query
      const filters = {
        ...(query.to !== undefined && { recipients: await recipientsOf(database, orgId, query.to) }),
        ...(after !== undefined && { after }),
        limit,
      }
      const look = () => customers.listSent({ orgId, id }, filters)
      const rows = await waitFor(look, { ...query, signal: request.signal })
      return { data: await presentSent(database, orgId, rows) }
    },
  }),
  defineRoute({
    ...shared,
    id: 'simulateStatus',
    method: 'POST',
    path: '/simulator/statuses',
    access: key('messages:send'),
    idempotency: 'after',
    summary: 'Report a status as the network',
    description:
      'The network reports a status of a message that it accepted: any status, in any order, as often as you like.',
    body: NetworkStatus,
    reply: { status: 204, body: null, description: 'Reported.' },
    example: { body: { message_id: sentExample.message.id, status: 'failed', error_code: 131026 }, reply: null },
    async handle({ body, caller: { orgId } }) {
      const { id } = await getSimulatorNumber(database, orgId, body.number)
      const { status, error_code: errorCode } = body
      const messageId = await nameForNetwork(database, orgId, body.message_id)
      const report = { number: { orgId, id }, messageId, status, ...(errorCode !== undefined && { errorCode }) }
      await customers.networkReports(report)
      return undefined
    },
  }),
]

const ruleRoutes = ({ database, customers }: NetworkRouteParts): Route[] => [
  defineRoute({
    ...shared,
    id: 'listSimulatorRules',
    method: 'GET',
    path: '/simulator/rules',
    access: key('chats:read'),
    summary: 'List rules of the network',
    description: 'What was set for a simulator number and its recipients.',
    query: NumberQuery,
    reply: { status: 200, body: Rules },
    errors: [simulatorNumberNotFound],
    example: { reply: { data: [ruleExample] } },
    async handle({ query, caller: { orgId } }) {
      const { id } = await getSimulatorNumber(database, orgId, query.number)
      return { data: (await customers.listRules({ orgId, id })).map(presentRule) }
    },
  }),
  defineRoute({
    ...shared,
    id: 'setSimulatorRule',
    method: 'POST',
    path: '/simulator/rules',
    access: key('messages:send'),
    idempotency: 'after',
    summary: 'Decide what the network does',
    description:
      'Sets how the network treats messages from a simulator number, for one recipient or for all: refuses them, loses them, or reports statuses late, in another order, repeatedly, not at all or as failed. A rule for the recipient takes precedence over the meaning of a test number.',
    body: NewRule,
    reply: { status: 200, body: Rules },
    example: { body: ruleExample, reply: { data: [ruleExample] } },
    async handle({ body: { number, to, ...rule }, caller: { orgId } }) {
      const place = { orgId, id: (await getSimulatorNumber(database, orgId, number)).id }
      const recipient = to === undefined ? null : await readRecipient(database, orgId, to)
      if (to !== undefined && recipient === null) throw breaksSchema([impossiblePhone('#/to')])
      await customers.setRule(place, { to: recipient, rule })
      return { data: (await customers.listRules(place)).map(presentRule) }
    },
  }),
]

const presentRule = ({ to, rule }: RuleFor) => ({ to, ...rule })

const ruleExample = {
  to: '+6281311112222',
  statuses: [{ status: 'read' as const, after_ms: 2000 }, { status: 'delivered' as const }],
}

const USER_ID = /^[A-Z]{2}\./

/** As an E.164 number or a user id; null when it is neither. */
async function readRecipient(database: Database, orgId: OrgId, text: string): Promise<string | null> {
  if (USER_ID.test(text)) return text
  const { default_country } = await getProfile(database, orgId)
  return parsePhone(text, default_country)?.e164 ?? null
}

/** Everything that a message for this customer may be addressed to. */
async function recipientsOf(database: Database, orgId: OrgId, text: string): Promise<string[]> {
  const recipient = await readRecipient(database, orgId, text)
  if (recipient !== null) return USER_ID.test(recipient) ? [recipient] : addressesOf(recipient)
  const detail = '"to" must be a phone number such as +6281311112222, or a user id such as ID.134911234567890.'
  throw parameterInvalid({ errors: [{ parameter: 'to', code: 'value_invalid', detail }] })
}

const LOOK_EVERY_MS = 40

type Waiting = { count: number; wait: number; signal: AbortSignal }

/** Looks until there are enough, the time is over or the caller has gone. */
async function waitFor(look: () => Promise<SentRow[]>, { count, wait, signal }: Waiting): Promise<SentRow[]> {
  const deadline = performance.now() + wait * 1000
  let rows = await look()
  while (rows.length < count && performance.now() < deadline && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    rows = await look()
  }
  return rows
}

async function presentSent(database: Database, orgId: OrgId, rows: readonly SentRow[]) {
  const messages = await listMessagesById(
    database,
    orgId,
    rows.map((row) => row.message_id),
  )
  const byId = new Map<string, (typeof messages)[number]>(messages.map((message) => [message.id, message]))
  return rows.flatMap((row) => {
    const message = byId.get(row.message_id)
    if (message === undefined) return []
    const to = USER_ID.test(row.recipient) ? row.recipient : `+${row.recipient}`
    return [{ to, copies: row.copies, accepted_at: row.seen_at.toISOString(), message: presentMessage(message) }]
  })
}
