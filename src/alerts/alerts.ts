import type { Follower, NumberedEvent } from '../events/events.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import { enqueueAhead, type NewEntry } from '../platform/outbox/entries.ts'
import type { Job } from '../platform/outbox/job.ts'
import { ensureLane } from '../platform/outbox/lanes.ts'
import type { Wake } from '../platform/outbox/outbox.ts'
import { type Alert, type AlertKind, alertKinds } from './alert-kinds.ts'
import { type AlertsContext, createAlertJobs, laneOf, RAISE_JOB } from './alerts.jobs.ts'
import { listOptOuts, replaceOptOuts } from './alerts.sql.ts'

export { type AlertKind, alertKinds, isConcerned } from './alert-kinds.ts'

/**
 * Alerts by e-mail to people of the organization: an endpoint that keeps failing, a number that is paused, a key that expires, an
 * approval that waits. Events raise them, now or for later; whether one is still true is looked up when it is due. Without a mail server
 * they are raised all the same and sent to no one, so that one that is set up later sends what is due then.
 */
export type Alerts = {
  /** Events that raise alerts are left to the follower. */
  isFollowed(type: string): boolean
  follow: Follower['handle']
  onNumberPaused(tx: Tx, orgId: OrgId, numberId: string): Promise<void>
  jobs: Job[]
}

type Raised = Alert & { dueMs: number }

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** A third of the time that an approval waits: who gets the mail can still decide. */
const APPROVAL_WAIT_MS = 5 * MINUTE_MS
const KEY_DAYS = [7, 1] as const

type FollowedEvent = Pick<NumberedEvent, 'type' | 'subject' | 'body' | 'created_at'>

/** At least as long as the days that are warned of, or a key that lives for a day would be warned of when it is created. */
function raisedByKey({ subject, body, created_at }: FollowedEvent): Raised[] {
  const expiresAt = (JSON.parse(body) as { data?: { expires_at?: string | null } }).data?.expires_at
  if (expiresAt == null) return []
  const raised = KEY_DAYS.map((days) => ({
    ...{ kind: 'key' as const, subject, stage: `${days}d` },
    dueMs: new Date(expiresAt).getTime() - days * DAY_MS,
  }))
  return raised.filter(({ dueMs }) => dueMs > created_at.getTime() + MINUTE_MS)
}

const raisedBy: Record<string, (event: FollowedEvent) => Raised[]> = {
  'endpoint.degraded': ({ subject, created_at }) => [
    { kind: 'endpoint', subject, stage: 'degraded', dueMs: created_at.getTime() },
  ],
  'endpoint.disabled': ({ subject, created_at }) => [
    { kind: 'endpoint', subject, stage: 'disabled', dueMs: created_at.getTime() },
  ],
  'key.created': raisedByKey,
  'key.rotated': raisedByKey,
  'approval.requested': ({ subject, created_at }) => [
    { kind: 'approval', subject, stage: 'waiting', dueMs: created_at.getTime() + APPROVAL_WAIT_MS },
  ],
}

export function createAlerts(context: AlertsContext & { wake: Wake }): Alerts {
  const { clock, wake } = context
  const raise = async (tx: Tx, orgId: OrgId, raised: readonly Raised[]): Promise<void> => {
    if (raised.length === 0) return
    await ensureLane(tx, { id: laneOf(orgId), orgId, kind: 'alerts', concurrencyMax: 2, ratePerSecond: 2 })
    await enqueueAhead(
      tx,
      raised.map((one) => entryOf(orgId, one)),
      new Date(clock.now()),
    )
    tx.afterCommit(() => wake([orgId]))
  }
  return {
    isFollowed: (type) => type in raisedBy,
    follow: (tx, orgId, events) =>
      raise(
        tx,
        orgId,
        events.flatMap((event) => (event.is_test ? [] : (raisedBy[event.type]?.(event) ?? []))),
      ),
    onNumberPaused: (tx, orgId, subject) =>
      raise(tx, orgId, [{ kind: 'number', subject, stage: 'paused', dueMs: clock.now() }]),
    jobs: createAlertJobs(context),
  }
}

/** Each time it is raised is an entry: one that came while the last one runs would be lost with it. */
const entryOf = (orgId: OrgId, { dueMs, ...alert }: Raised): NewEntry => ({
  id: `alert:${alert.kind}:${alert.subject}:${alert.stage}:${dueMs}`,
  laneId: laneOf(orgId),
  orgId,
  job: RAISE_JOB,
  dueAt: new Date(dueMs),
  payload: alert,
})

export type AlertChoices = Record<AlertKind, boolean>

/** Which alerts a person gets; all of them unless they switched some off. */
export async function readAlertChoices(queries: Queries, personId: string): Promise<AlertChoices> {
  const off = await listOptOuts(queries, personId)
  return Object.fromEntries(alertKinds.map((kind) => [kind, !off.includes(kind)])) as AlertChoices
}

export const saveAlertChoices = (tx: Tx, personId: string, choices: AlertChoices): Promise<void> =>
  replaceOptOuts(
    tx,
    personId,
    alertKinds.filter((kind) => !choices[kind]),
  )
