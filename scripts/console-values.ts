import { roles } from '../src/accounts/people/people.ts'
import { agentOperationNames, factsOf } from '../src/agents/rules/rules.ts'
import { standardRetrySchedule } from '../src/platform/outbox/job.ts'
import { NewWebhookEndpoint } from '../src/webhooks/endpoints/endpoints.schemas.ts'
import type { Schema } from './sdk-description.ts'

/** Lists, limits and defaults that the console has to know before it asks the server, as constants with the values of the server. */
export function consoleValues(schemas: Record<string, Schema>): string {
  const at = (place: string) => schemaAt(schemas, place)
  const constants: [name: string, text: string, value: unknown][] = [
    ['scopeNames', 'The scopes of keys.', valuesOf(at('KeyView.scopes'))],
    ['agentScopes', 'The scopes that an agent may have.', valuesOf(at('AgentDetails.scopes'))],
    ['roleNames', 'The roles of people.', valuesOf(at('Member.role'))],
    ['roleRights', 'The scopes and powers of each role.', roleRights()],
    ['powerNames', 'What a role can allow beside the scopes.', roles.owner.powers],
    ['paymentMethods', 'How an order can be paid.', valuesOf(at('Payment.method'))],
    ['paymentStatuses', 'Of the payment of an order.', valuesOf(at('Order.payment_status'))],
    ['mediaKinds', 'The types of messages that are files.', valuesOf(at('MediaLimits.kinds.type'))],
    ['statisticsRanges', 'The times that statistics can be of.', valuesOf(at('Statistics.range'))],
    [
      'agentOperations',
      'What agents can change. `decision` is the default; an amount may limit it.',
      agentOperations(),
    ],
    ['endpointDefaults', 'Of an endpoint that is created without them.', endpointDefaults()],
    ['timeoutMsLimits', 'Of an endpoint.', rangeOf(at('NewWebhookEndpoint.timeout_ms'))],
    [
      'retryDelaysMax',
      'How many waits a retry schedule may have.',
      at('NewWebhookEndpoint.retry_delays_seconds').maxItems,
    ],
    ['retryDelaySecondsMax', 'The longest of them.', itemsOf(at('NewWebhookEndpoint.retry_delays_seconds')).maximum],
    [
      'orderGraceSecondsMax',
      'How long an expired order may wait for money.',
      at('Settings.order_grace_seconds').maximum,
    ],
    ['passkeyNameMax', 'Characters.', at('PasskeyView.name').maxLength],
  ]
  return constants.map(([name, text, value]) => declareValue(name, text, value)).join('\n')
}

const roleRights = () =>
  Object.fromEntries(Object.entries(roles).map(([name, { scopes, powers }]) => [name, [...scopes, ...powers]]))

/** The schema of `Name.member.member`; of a list, that of an entry. */
function schemaAt(schemas: Record<string, Schema>, place: string): Schema {
  const [name = '', ...members] = place.split('.')
  const found = members.reduce<Schema | undefined>(
    (schema, member) => (schema?.items ?? schema)?.properties?.[member],
    schemas[name],
  )
  if (found === undefined) throw new Error(`there is no ${place}`)
  return found
}

const itemsOf = (schema: Schema): Schema => schema.items ?? schema

function valuesOf(schema: Schema): readonly unknown[] | undefined {
  const { enum: closed, 'x-extensible-enum': values = closed } = itemsOf(schema)
  return values
}

const rangeOf = ({ minimum, maximum }: Schema) => ({ min: minimum, max: maximum })

const agentOperations = () =>
  Object.fromEntries(
    agentOperationNames.map((name) => {
      const { scope, decision, hasAmount = false } = factsOf(name)
      return [name, { scope, decision, hasAmount }]
    }),
  )

function endpointDefaults() {
  const {
    ordering,
    payload,
    signing,
    max_per_second = null,
    timeout_ms,
  } = NewWebhookEndpoint.parse({ url: 'https://a' })
  const retry_delays_seconds = standardRetrySchedule.delaysMs.map((ms) => ms / 1000)
  return { ordering, payload, signing, max_per_second, timeout_ms, retry_delays_seconds }
}

function declareValue(name: string, text: string, value: unknown): string {
  if (value === undefined) throw new Error(`the server declares no ${name}`)
  return `/** ${text} */\nexport const ${name} = ${literalOf(value, '')} as const\n`
}

const LINE_MAX = 100

function literalOf(value: unknown, indent: string): string {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value !== 'object' || value === null) return String(value)
  const inner = `${indent}  `
  const [open, close, entries] = Array.isArray(value)
    ? ['[', ']', value.map((entry) => literalOf(entry, inner))]
    : ['{ ', ' }', Object.entries(value).map(([key, entry]) => `${key}: ${literalOf(entry, inner)}`)]
  const line = `${open}${entries.join(', ')}${close}`
  if (line.length + indent.length <= LINE_MAX && !line.includes('\n')) return line
  return `${open.trim()}\n${entries.map((entry) => `${inner}${entry},\n`).join('')}${indent}${close.trim()}`
}
