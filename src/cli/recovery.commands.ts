import type { OrgId } from '../kernel/ids.ts'
import type { Queries } from '../platform/database/database.ts'
import { recoveryFinished } from '../webhooks/recovery/recovery.errors.ts'
import { RecoverRequest } from '../webhooks/recovery/recovery.schemas.ts'
import {
  cancelRecovery,
  type EstimateView,
  estimateRecovery,
  getRecovery,
  listRecoveries,
  presentEstimate,
  presentRecovery,
  type RecoveriesContext,
  type RecoveryRequest,
  type RecoveryView,
  startRecovery,
} from '../webhooks/recovery/recovery.ts'
import type { WebhooksContext } from '../webhooks/webhooks-context.ts'
import { type CommandValues, defineCommand, jsonOption, orgOption, UsageError } from './framework/command.ts'
import type { EnterAct } from './framework/command-audit.ts'
import { limitOption, readEventFilters, readLimit, readMoment } from './framework/flags.ts'
import { printJson, printLine, printList, printTable } from './framework/output.ts'
import { watchRecovery } from './recovery-watch.ts'
import { withWebhooks } from './webhooks.ts'

/** `endpoint recover` and related commands: deliver again what an endpoint missed. */
const endpointArgument = { name: 'endpoint', help: 'id of the endpoint, wep_…', isRequired: true }

const LISTED_MAX = 100
/** As a shell says of a command that Ctrl-C ended. */
const INTERRUPTED = 130

export const recoveryCommands = [
  defineCommand({
    name: 'endpoint recover',
    summary: 'Resend the events that a webhook endpoint missed',
    details:
      'A running server does this in the background, after new events. With --wait, the command prints the progress on stderr until every event was tried once; Ctrl-C ends the waiting, not the recovery. Exits with 1 when the recovery was cancelled.',
    examples: [
      'npx nexkit endpoint recover wep_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store --since 2h --wait',
      'npx nexkit endpoint recover wep_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store --since 7d --dry-run',
    ],
    arguments: [endpointArgument],
    options: {
      org: orgOption,
      since: {
        type: 'string',
        help: 'start of the period: a time, or 2h or 7d ago',
        placeholder: 'time',
        isRequired: true,
      },
      until: { type: 'string', help: 'end of the period (default now)', placeholder: 'time' },
      mode: {
        type: 'string',
        help: 'deliveries to send: failed, missing, held or all',
        placeholder: 'mode',
        fallback: 'failed',
      },
      types: { type: 'string', help: 'comma list of event types, such as order.*', placeholder: 'names' },
      status: { type: 'string', help: 'comma list of delivery statuses', placeholder: 'names' },
      'include-before-creation': {
        type: 'boolean',
        help: 'with --mode all: also events from before the endpoint was created',
      },
      'dry-run': { type: 'boolean', help: 'count the events and send nothing' },
      wait: { type: 'boolean', help: 'wait until the recovery is finished' },
      json: jsonOption,
    },
    async run({ values, arguments: [id] }) {
      await withWebhooks(values, (context, orgId, enter) => {
        const request = readRequest(values, String(id), context.clock.now())
        return values['dry-run']
          ? estimate(context, orgId, { values, request })
          : recover(context, orgId, { values, request, enter })
      })
    },
  }),
  defineCommand({
    name: 'endpoint recoveries',
    summary: 'List the recoveries of a webhook endpoint, newest first',
    examples: ['npx nexkit endpoint recoveries wep_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [endpointArgument],
    options: {
      org: orgOption,
      limit: limitOption(LISTED_MAX),
      json: jsonOption,
    },
    async run({ values, arguments: [id] }) {
      const page = { endpointId: String(id), limit: readLimit(String(values.limit), LISTED_MAX) }
      const recoveries = await withWebhooks(values, async ({ database }, orgId) => {
        const rows = await listRecoveries(database, orgId, page)
        return Promise.all(rows.map((row) => presentRecovery(database, row)))
      })
      const none = 'This endpoint has no recoveries yet.'
      printList(values, { data: recoveries, rows: recoveries.map(rowOf), none })
    },
  }),
  defineCommand({
    name: 'endpoint cancel-recovery',
    summary: 'Cancel the recovery of a webhook endpoint',
    details: 'Events that were not tried yet are not sent.',
    examples: ['npx nexkit endpoint cancel-recovery wep_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [endpointArgument, { name: 'recovery', help: 'id of the recovery, job_… (default the running one)' }],
    options: { org: orgOption, json: jsonOption },
    async run({ values, arguments: [endpointId, id] }) {
      const view = await withWebhooks(values, ({ database, ...context }, orgId, enter) =>
        database.transaction(async (tx) => {
          const target = {
            endpointId: String(endpointId),
            id: id ?? (await findRunning(tx, orgId, String(endpointId))),
          }
          const cancelled = await cancelRecovery(recoveriesContext({ database, ...context }), tx, orgId, target)
          const { endpointId: subject } = target
          await enter(tx, orgId, { command: 'endpoint cancel-recovery', act: 'cancelWebhookRecovery', subject })
          return presentRecovery(tx, cancelled)
        }),
      )
      if (values.json) return printJson(view)
      printLine(`Recovery ${view.id} was cancelled. ${eventsOf(view.progress.done)} queued before.`)
    },
  }),
]

const recoveriesContext = ({ database, clock }: WebhooksContext): RecoveriesContext => ({
  database,
  clock,
})

/** Of an endpoint at most one runs, and no younger one can be over before it. */
async function findRunning(queries: Queries, orgId: OrgId, endpointId: string): Promise<string> {
  const [newest] = await listRecoveries(queries, orgId, { endpointId, limit: 1 })
  if (newest === undefined || newest.finished_at !== null)
    throw recoveryFinished({ says: 'No recovery of this webhook endpoint is running.' })
  return newest.id
}

const listOf = (text: string) => text.split(',').flatMap((part) => part.trim() || [])

function readRequest(values: CommandValues, endpointId: string, nowMs: number): RecoveryRequest {
  const moment = (option: 'since' | 'until') => readMoment(String(values[option]), { option, nowMs }).toISOString()
  const parsed = RecoverRequest.safeParse({
    since: moment('since'),
    ...(values.until !== undefined && { until: moment('until') }),
    mode: String(values.mode),
    include_before_creation: values['include-before-creation'] === true,
    ...(values.types !== undefined && { types: readEventFilters(String(values.types)) }),
    ...(values.status !== undefined && { status: listOf(String(values.status)) }),
  })
  if (!parsed.success)
    throw new UsageError(parsed.error.issues.map(({ path, message }) => `--${String(path[0])}: ${message}`).join(' '))
  const { dry_run: _, ...request } = parsed.data
  return { ...request, endpointId }
}

type Asked = { values: CommandValues; request: RecoveryRequest }

async function estimate(context: WebhooksContext, orgId: OrgId, { values, request }: Asked): Promise<void> {
  const view = presentEstimate(await estimateRecovery(recoveriesContext(context), orgId, request))
  if (values.json) return printJson(view)
  printLine(sayEstimate(view))
  if (view.counts.length > 0) printTable(view.counts.map(({ type, total }) => ({ TYPE: type, EVENTS: String(total) })))
}

const sayEstimate = ({ total, is_exact: isExact, mode, since, until }: EstimateView) =>
  `${isExact ? '' : 'At least '}${total} would be sent (mode ${mode}, ${since} to ${until}). This was a dry run.`

async function recover(
  context: WebhooksContext,
  orgId: OrgId,
  { values, request, enter }: Asked & { enter: EnterAct },
): Promise<void> {
  const { database } = context
  const started = await database.transaction(async (tx) => {
    const recovery = await startRecovery(recoveriesContext(context), tx, orgId, request)
    const subject = request.endpointId
    await enter(tx, orgId, { command: 'endpoint recover', act: 'recoverWebhookEndpoint', subject })
    return recovery
  })
  const place = { endpointId: started.endpoint_id, id: started.id }
  const look = async () => presentRecovery(database, await getRecovery(database, orgId, place))
  const cancelling = `npx nexkit endpoint cancel-recovery ${place.endpointId} --org ${values.org}`
  if (!values.wait) {
    if (values.json) return printJson(await look())
    return printLine(`Recovery ${started.id} has started. To cancel it: ${cancelling}`)
  }
  const { recovery, isInterrupted } = await watchRecovery({ look, id: started.id, cancelling })
  if (values.json) printJson(recovery)
  else printLine(sayEnd(recovery))
  if (isInterrupted) process.exitCode = INTERRUPTED
  else if (recovery.status !== 'completed') process.exitCode = 1
}

const eventsOf = (count: number) => (count === 1 ? '1 event was' : `${count} events were`)

function sayEnd({ id, status, reason, progress }: RecoveryView): string {
  if (status === 'completed') return `Recovery ${id} is completed: ${eventsOf(progress.done)} sent.`
  if (status === 'cancelled') return `Recovery ${id} was cancelled (${reason}) after ${progress.done} events.`
  return `Recovery ${id} is ${status}: ${triedOf(progress)} of ${progress.total ?? 'an unknown number'} tried so far.`
}

/** Handed over, and no longer waiting for the first time. */
const triedOf = ({ done, queued }: RecoveryView['progress']) => done - queued

const rowOf = (recovery: RecoveryView) => ({
  ID: recovery.id,
  STATUS: recovery.reason === null ? recovery.status : `${recovery.status} (${recovery.reason})`,
  MODE: recovery.mode,
  SINCE: recovery.since,
  UNTIL: recovery.until,
  TRIED: `${triedOf(recovery.progress)}/${recovery.progress.total ?? '?'}`,
  STARTED: recovery.created_at,
  FINISHED: recovery.finished_at ?? '-',
})
