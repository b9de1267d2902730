import type { Queries } from '../../platform/database/database.ts'
import { laneStatus, PENDING_COUNTED_MAX } from '../../platform/outbox/lanes.ts'
import type { ChannelsContext } from '../channels-context.ts'
import { knownCredentials } from './number-input.ts'
import { sendLaneOf } from './number-lanes.ts'
import type { NumberView } from './numbers.schemas.ts'
import type { NumberRow } from './numbers.sql.ts'

/** A number as people and programs may see it: what is secret only by whether it is set. */
export async function presentNumber(
  context: ChannelsContext,
  queries: Queries,
  number: NumberRow,
): Promise<NumberView> {
  const lane = await laneStatus(
    queries,
    { orgId: number.org_id, id: sendLaneOf(number.id) },
    new Date(context.clock.now()),
  )
  return {
    object: 'number',
    id: number.id,
    connector: number.connector,
    phone_number_id: number.phone_number_id,
    display_phone: number.display_phone,
    name: number.name,
    base_url: number.base_url,
    is_default: number.is_default,
    state: number.state,
    state_reason: number.state_reason,
    credentials: credentialStates(context, number),
    settings: number.settings,
    webhook_url: webhookUrlOf(context, number),
    health: {
      last_event_at: number.last_event_at?.toISOString() ?? null,
      last_error: lastErrorOf(number),
      queued: lane === null ? 0 : Math.min(PENDING_COUNTED_MAX, lane.pending + lane.inFlight),
      reports: reportsOf(number),
    },
    created_at: number.created_at.toISOString(),
    updated_at: number.updated_at.toISOString(),
  }
}

/** Where the network is to post what happens. */
const webhookUrlOf = (
  { publicUrl }: Pick<ChannelsContext, 'publicUrl'>,
  number: Pick<NumberRow, 'connector' | 'id'>,
): string => `${publicUrl}/hooks/${number.connector}/${number.id}`

function credentialStates({ connectors, secretBox }: ChannelsContext, number: NumberRow) {
  const secrets = connectors.get(number.connector)?.fields.filter((field) => field.isSecret) ?? []
  const sealed = number.sealed_credentials
  const known = sealed === null ? {} : knownCredentials(secretBox, number.id, sealed)
  return Object.fromEntries(secrets.map(({ name }) => [name, name in known ? ('set' as const) : ('not set' as const)]))
}

/** Newest first. */
const reportsOf = ({ reports }: NumberRow) =>
  Object.entries(reports)
    .map(([field, report]) => ({ field, ...report }))
    .toSorted((one, other) => (one.at < other.at ? 1 : -1))

function lastErrorOf({ last_error_at, last_error_code, last_error }: NumberRow) {
  if (last_error_at === null) return null
  return { code: last_error_code ?? 'unknown', detail: last_error ?? '', at: last_error_at.toISOString() }
}
