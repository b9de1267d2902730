import '../app.ts'
import { ProblemError } from '../kernel/errors.ts'
import type { Id, OrgId } from '../kernel/ids.ts'
import { isCutOff } from '../platform/outbound-http/outbound-client.ts'
import {
  type Attempt,
  type Delivery,
  type DeliveryQuery,
  deliveryQuery,
  getAttempts,
  getDelivery,
  listDeliveries,
  listInFlight,
  presentAttempt,
  presentDelivery,
  resendDelivery,
} from '../webhooks/deliveries/deliveries.ts'
import { explainEvent, type Story } from '../webhooks/explain/explain.ts'
import type { WebhooksContext } from '../webhooks/webhooks-context.ts'
import { type CommandValues, defineCommand, jsonOption, orgOption, UsageError } from './framework/command.ts'
import type { EnterAct } from './framework/command-audit.ts'
import { limitOption, readLimit, readMoment } from './framework/flags.ts'
import { printFields, printJson, printLine, printList, printTable } from './framework/output.ts'
import { withWebhooks } from './webhooks.ts'

const deliveryArgument = { name: 'delivery', help: 'id of the delivery, dlv_…', isRequired: true }

const LISTED_MAX = 200
const STATUSES = ['pending', 'succeeded', 'failed', 'held', 'cancelled', 'skipped'] as const

export const deliveryCommands = [
  defineCommand({
    name: 'delivery list',
    summary: 'List webhook deliveries and their status, newest first',
    details: 'Test events and pings are listed only with --test or --event.',
    examples: ['npx nexkit delivery list --org demo-store --status failed --since 2h'],
    options: {
      org: orgOption,
      endpoint: { type: 'string', help: 'only deliveries to this endpoint', placeholder: 'wep_…' },
      event: { type: 'string', help: 'only deliveries of this event', placeholder: 'evt_…' },
      type: { type: 'string', help: 'only deliveries of this event type, such as order.paid', placeholder: 'name' },
      status: { type: 'string', help: `comma list of ${STATUSES.join(', ')}`, placeholder: 'names' },
      since: { type: 'string', help: 'only events since then: a time, or 30m, 2h or 7d ago', placeholder: 'time' },
      test: { type: 'boolean', help: 'test events and pings instead of real events' },
      limit: limitOption(LISTED_MAX),
      json: jsonOption,
    },
    async run({ values }) {
      const deliveries = await withWebhooks(values, async ({ database, clock }, orgId) => {
        const rows = await listDeliveries(database, orgId, readQuery(values, clock.now()))
        const inFlight = await listInFlight(database, orgId, rows)
        return rows.map((row) => presentDelivery(row, inFlight.has(row.id)))
      })
      printList(values, { data: deliveries, rows: deliveries.map(rowOf), none: 'No deliveries match.' })
    },
  }),
  defineCommand({
    name: 'delivery show',
    summary: 'Show a delivery with its status, reason and every attempt',
    examples: ['npx nexkit delivery show dlv_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [deliveryArgument],
    options: { org: orgOption, json: jsonOption },
    async run({ values, arguments: [id] }) {
      const shown = await withWebhooks(values, (context, orgId) => lookAt(context, orgId, String(id)))
      if (values.json) printJson(present(shown))
      else print(shown)
    },
  }),
  defineCommand({
    name: 'delivery resend',
    summary: 'Resend a delivery now and print the result',
    details:
      'A running server sends it, also to a paused endpoint. The webhook-id and the body stay the same; the timestamp and the signature are new. It does not count as an automatic attempt, and when it succeeds no automatic attempts follow.',
    examples: ['npx nexkit delivery resend dlv_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [deliveryArgument],
    options: { org: orgOption, json: jsonOption },
    async run({ values, arguments: [id] }) {
      const { delivery, attemptId, attempt } = await withWebhooks(values, (context, orgId, enter) =>
        resendAndWait(context, orgId, { id: String(id), enter }),
      )
      if (values.json) printJson(attempt === null ? { id: attemptId, outcome: 'pending' } : presentAttempt(attempt))
      else printLine(sayResend(delivery, attempt))
      if (attempt?.outcome !== 'succeeded') process.exitCode = 1
    },
  }),
]

/** The wiring is imported above because it declares all event types. */
const whichQuery = deliveryQuery.pick({ endpoint: true, event: true, type: true })

/** The filters, checked as the API checks them: a misspelt one would otherwise look like no delivery. */
function readWhich({ endpoint, event, type }: CommandValues) {
  const parsed = whichQuery.safeParse({ endpoint, event, type })
  if (parsed.success) return parsed.data
  throw new UsageError(parsed.error.issues.map(({ path, message }) => `--${String(path[0])}: ${message}`).join(' '))
}

/** Tests are logged apart, unless it is about one event. */
function readQuery(values: CommandValues, nowMs: number): DeliveryQuery {
  const { endpoint: endpointId, event: eventId, type } = readWhich(values)
  return {
    ...(endpointId !== undefined && { endpointId }),
    ...(eventId !== undefined && { eventId }),
    ...(type !== undefined && { type }),
    ...(values.status !== undefined && { statuses: readStatuses(String(values.status)) }),
    ...(values.since !== undefined && { since: readMoment(String(values.since), { option: 'since', nowMs }) }),
    ...(values.test === true ? { isTest: true } : eventId === undefined && { isTest: false }),
    limit: readLimit(String(values.limit), LISTED_MAX),
  }
}

function readStatuses(text: string): (typeof STATUSES)[number][] {
  return text.split(',').map((part) => {
    const status = STATUSES.find((known) => known === part.trim())
    if (status === undefined) throw new UsageError(`--status must be a comma list of ${STATUSES.join(', ')}.`)
    return status
  })
}

/** For an answer that was cut off, the reason: its status alone would look like a complete answer. */
const answerText = (status: number | null, errorClass: string | null) =>
  status === null || isCutOff(errorClass) ? (errorClass ?? '-') : String(status)

const rowOf = (row: ReturnType<typeof presentDelivery>) => ({
  ID: row.id,
  CREATED: row.created_at,
  TYPE: row.type,
  STATUS: row.reason === null ? row.status : `${row.status} (${row.reason})`,
  ATTEMPTS: String(row.attempt_count),
  RESPONSE: answerText(row.last_response_status, row.last_error_class),
  NEXT: row.next_attempt_at ?? '-',
  ENDPOINT: row.endpoint_id,
  EVENT: row.event_id,
})

type Shown = { delivery: Delivery; attempts: Attempt[]; story: Story | null }

/** The log outlives the events, so an old delivery has its attempts but no explanation any more. */
async function lookAt(context: WebhooksContext, orgId: OrgId, id: string): Promise<Shown> {
  const delivery = await getDelivery(context.database, orgId, id)
  const place = { eventId: delivery.event_id, endpointId: delivery.endpoint_id }
  const [attempts, explanation] = await Promise.all([
    getAttempts(context.database, delivery),
    explainEvent(context, orgId, place).catch(absentWhenGone),
  ])
  return { delivery, attempts, story: explanation?.stories[0] ?? null }
}

function absentWhenGone(error: unknown): null {
  if (error instanceof ProblemError) return null
  throw error
}

const present = ({ delivery, attempts, story }: Shown) => ({
  ...presentDelivery(delivery, story?.verdict === 'in_flight'),
  attempts: attempts.map(presentAttempt),
  says: story?.says ?? null,
  next_step: story?.nextStep ?? null,
})

function print({ delivery, attempts, story }: Shown): void {
  printFields([
    ['Delivery', delivery.id],
    ['Event', `${delivery.event_id} ${delivery.type}, ${delivery.is_test ? 'a test' : `number ${delivery.sequence}`}`],
    ['Endpoint', story === null ? delivery.endpoint_id : `${delivery.endpoint_id} ${story.url}`],
    [
      'Status',
      `${story?.verdict === 'in_flight' ? 'in_flight' : delivery.status}${delivery.reason === null ? '' : ` (${delivery.reason})`}`,
    ],
    ['Created', delivery.created_at.toISOString()],
    ['Next attempt', delivery.next_attempt_at?.toISOString() ?? 'none'],
    ['Why', story?.says ?? 'The event is past its retention, so there is no explanation.'],
    ...(story?.nextStep ? [['Next step', story.nextStep] as [string, string]] : []),
  ])
  printLine()
  if (attempts.length === 0) printLine('No attempts yet.')
  else printTable(attempts.map(attemptRow))
}

const milliseconds = (value: number | null) => (value === null ? '-' : `${Math.round(value * 10) / 10}`)

const attemptRow = (attempt: Attempt) => ({
  NR: String(attempt.number),
  TRIGGER: attempt.trigger,
  STARTED: attempt.started_at.toISOString(),
  ADDRESS: attempt.ip ?? '-',
  RESPONSE: answerText(attempt.response_status, attempt.error_class),
  'DNS MS': milliseconds(attempt.dns_ms),
  'CONNECT MS': milliseconds(attempt.connect_ms),
  'TLS MS': milliseconds(attempt.tls_ms),
  'FIRST BYTE MS': milliseconds(attempt.ttfb_ms),
  'TOTAL MS': milliseconds(attempt.total_ms),
  WHY: attempt.error_detail ?? '',
})

const RESEND_WAIT_MS = 20_000
const RESEND_POLL_MS = 100

type Resent = { delivery: Delivery; attemptId: Id<'att'>; attempt: Attempt | null }

/** The attempt appears under the id it was promised. */
async function resendAndWait(
  context: WebhooksContext,
  orgId: OrgId,
  { id, enter }: { id: string; enter: EnterAct },
): Promise<Resent> {
  const { database, clock } = context
  const { attemptId, delivery } = await database.transaction(async (tx) => {
    const resent = await resendDelivery(context, tx, orgId, id)
    await enter(tx, orgId, { command: 'delivery resend', act: 'resendDelivery', subject: id })
    return resent
  })
  const untilMs = clock.now() + RESEND_WAIT_MS
  while (clock.now() < untilMs) {
    const attempt = (await getAttempts(database, delivery)).find((one) => one.id === attemptId)
    if (attempt !== undefined) return { delivery, attemptId, attempt }
    await new Promise((resolve) => setTimeout(resolve, RESEND_POLL_MS))
  }
  return { delivery, attemptId, attempt: null }
}

function sayResend(delivery: Delivery, attempt: Attempt | null): string {
  if (attempt === null)
    return `Delivery ${delivery.id} was not sent within ${RESEND_WAIT_MS / 1000} s. Check that a server is running.`
  const { response_status: status, error_class: errorClass } = attempt
  const answer = status === null || isCutOff(errorClass) ? errorClass : `status ${status}`
  const why = attempt.error_detail === null ? '' : ` ${attempt.error_detail}`
  return `Delivery ${delivery.id}: ${attempt.outcome} (${answer}) after ${milliseconds(attempt.total_ms)} ms.${why}`
}
