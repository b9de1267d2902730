import { z } from 'zod'
import { findOrganizationById } from '../accounts/organizations/organizations.ts'
import { listMembers } from '../accounts/people/people.ts'
import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { Mailer } from '../platform/mail/mail.ts'
import { enqueue } from '../platform/outbox/entries.ts'
import { defineJob, type Job, type JobResult } from '../platform/outbox/job.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { readFacts } from './alert-facts.ts'
import { type Alert, alertKinds, isConcerned } from './alert-kinds.ts'
import { alertMail } from './alert-mails.ts'
import { countRaised, forgetRaised, listOptedOut, markRaised } from './alerts.sql.ts'

/**
 * An alert is one entry of the outbox, and each mail of it another: a mail server that is away delays one person's mail and repeats no
 * other's. A mail that was accepted by the server and not acknowledged here is sent again with the same Message-ID.
 *
 *   raised ── over by then, or no mail set up ──▶ dropped
 *          ── raised within the hour, or 20 of the organization in it ──▶ dropped, logged
 *          ── else ──▶ one mail for every member concerned who wants it ── over before it is sent ──▶ dropped, and not counted as raised
 */
export const RAISE_JOB = 'alerts.raise'
const MAIL_JOB = 'alerts.mail'

const HOUR_MS = 3_600_000
const KEPT_MS = 30 * 24 * HOUR_MS
const PER_HOUR_MAX = 20
const RETRY = { delaysMs: [60, 300, 1800, 7200, 21_600].map((seconds) => seconds * 1000), jitter: 0.2 }
const TIMEOUT_MS = 60_000

export const laneOf = (orgId: OrgId) => `${orgId}:alerts`

export type AlertsContext = {
  database: Database
  clock: Clock
  log: Log
  mailer: Mailer | null
  publicUrl: string
}

const AlertPayload = z.object({ kind: z.enum(alertKinds), subject: z.string(), stage: z.string() })
const MailPayload = AlertPayload.extend({ person: z.string() })

export const createAlertJobs = (context: AlertsContext): Job[] => [createRaiseJob(context), createMailJob(context)]

/** Those who may do something about it and have not switched it off. A sandbox alerts no one. */
async function listRecipients({ database }: AlertsContext, orgId: OrgId, { kind }: Alert) {
  const organization = await findOrganizationById(database, orgId)
  if (organization === null || organization.sandbox_of !== null) return null
  const members = (await listMembers(database, orgId)).filter(({ role }) => isConcerned(role, kind))
  const ids = members.map(({ person_id }) => person_id)
  const without = new Set(await listOptedOut(database, ids, kind))
  return { organization, members: members.filter(({ person_id }) => !without.has(person_id)) }
}

const createRaiseJob = (context: AlertsContext): Job =>
  defineJob<Alert, string[]>({
    name: RAISE_JOB,
    payload: AlertPayload,
    retry: RETRY,
    async run({ orgId, payload }) {
      if (context.mailer === null) return { kind: 'done' }
      const facts = await readFacts(context.database, orgId, payload, context.clock.now())
      const recipients = facts === null ? null : await listRecipients(context, orgId, payload)
      return { kind: 'done', data: (recipients?.members ?? []).map(({ person_id }) => person_id) }
    },
    async record(tx, results) {
      const added = await Promise.all(results.map((result) => addMails(context, tx, result)))
      return added.some(Boolean)
    },
  })

async function addMails({ clock, log }: AlertsContext, tx: Tx, result: JobResult<Alert, string[]>): Promise<boolean> {
  const { entry, outcome } = result
  const people = outcome.data ?? []
  if (people.length === 0) return false
  const { orgId, payload: alert } = entry
  const nowMs = clock.now()
  const now = new Date(nowMs)
  const hourAgo = new Date(nowMs - HOUR_MS)
  const isBounded =
    (await countRaised(tx, orgId, hourAgo)) >= PER_HOUR_MAX ||
    !(await markRaised(tx, orgId, { ...alert, now, again: hourAgo, keptSince: new Date(nowMs - KEPT_MS) }))
  if (isBounded) {
    log.info({ org_id: orgId, ...alert }, 'alert not sent: the same one, or too many, were sent within the hour')
    return false
  }
  await enqueue(
    tx,
    people.map((person) => ({
      id: `${entry.id}:${nowMs}:${person}`,
      laneId: laneOf(orgId),
      orgId,
      job: MAIL_JOB,
      dueAt: now,
      payload: { ...alert, person },
    })),
  )
  return true
}

/** Of a mail that was not sent, because what it would say is over. */
type Unsent = { isOver: true }

const createMailJob = (context: AlertsContext): Job =>
  defineJob<z.infer<typeof MailPayload>, Unsent>({
    name: MAIL_JOB,
    payload: MailPayload,
    retry: RETRY,
    timeoutMs: TIMEOUT_MS,
    async run({ id, orgId, payload: { person, ...alert } }) {
      const { mailer, database, clock, publicUrl, log } = context
      const facts = await readFacts(database, orgId, alert, clock.now())
      if (facts === null) return { kind: 'done', data: { isOver: true } }
      const recipients = await listRecipients(context, orgId, alert)
      const member = recipients?.members.find(({ person_id }) => person_id === person)
      if (mailer === null || recipients === null || member === undefined) return { kind: 'done' }
      const organization = recipients.organization.name
      const mailId = id.replaceAll(/[^A-Za-z0-9_.-]/g, '.')
      try {
        await mailer.send(alertMail({ to: member.email, alert, facts, organization, publicUrl, id: mailId }))
        return { kind: 'done' }
      } catch (error) {
        log.warn({ org_id: orgId, to: member.email, err: error }, 'alert could not be mailed; will try again')
        return { kind: 'retry', reason: 'mail_not_accepted' }
      }
    },
    async record(tx, results) {
      for (const { entry, outcome } of results)
        if (outcome.data?.isOver) await forgetRaised(tx, entry.orgId, entry.payload)
      return false
    },
  })
