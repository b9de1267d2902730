import { createHmac } from 'node:crypto'
import { type AuditContext, listAuditEntries, recordAuditUnless } from '../../accounts/audit/audit.ts'
import { membersOf } from '../../kernel/records.ts'
import type { Messaging } from '../../messaging/messaging.ts'
import type { Queries } from '../../platform/database/database.ts'
import type { GatedCall } from '../../platform/http/pipeline/exchange.ts'
import { parsePhone } from '../../platform/phone/phone-numbers.ts'
import { agentLimitReached } from '../agents.errors.ts'
import type { AgentRow } from '../records/records.ts'
import { maskPhone } from './replies.ts'

/**
 * An agent from which phones are hidden can still ask for a person by a whole number, and by trying numbers find out who is a
 * customer. Different numbers are counted in the audit log, where each is entered once an hour. Messages and orders to a number have
 * separate limits.
 */
const ACT = 'lookUpPhone'
const LOOKUPS_PER_HOUR = 30
const HOUR_MS = 3600 * 1000
/** The members of a path or query that name a person. */
const NAMES = ['phone', 'chat', 'q']

type LookupContext = { audit: AuditContext; messaging: Pick<Messaging, 'context'> }

export async function countLookup(
  { audit, messaging }: LookupContext,
  agent: AgentRow,
  { caller, params, query, exchange }: GatedCall,
): Promise<void> {
  if (!agent.hides_phones) return
  const texts = NAMES.flatMap((name) => [params[name], membersOf(query)[name]])
  const country = await messaging.context.homeCountry(caller.orgId)
  for (const text of texts) {
    const phone = typeof text === 'string' ? parsePhone(text, country) : null
    if (phone === null) continue
    const subject = subjectOf(audit.key, phone.e164)
    const isEntered = (queries: Queries) => isCounted(audit, queries, { agent, subject })
    if (await isEntered(audit.database)) continue
    const actor = { type: 'agent' as const, id: agent.id, name: agent.name }
    const { requestId, address } = exchange
    await recordAuditUnless(audit, caller.orgId, { entry: { actor, act: ACT, subject, requestId, address }, isEntered })
  }
}

/** Two numbers may look alike when they are masked, so a keyed hash distinguishes them. */
const subjectOf = (key: Uint8Array, e164: string) =>
  `${maskPhone(e164)} ${createHmac('sha256', key).update(e164).digest('hex').slice(0, 12)}`

/** Throws when another number is one too many. */
async function isCounted(
  { clock }: AuditContext,
  queries: Queries,
  { agent, subject }: { agent: AgentRow; subject: string },
): Promise<boolean> {
  const since = new Date(clock.now() - HOUR_MS)
  const filter = { actorId: agent.id, act: ACT, since, limit: LOOKUPS_PER_HOUR }
  const lately = await listAuditEntries(queries, agent.org_id, filter)
  if (lately.some((entry) => entry.subject === subject)) return true
  if (lately.length < LOOKUPS_PER_HOUR) return false
  const freeAtMs = (lately.at(-1)?.at.getTime() ?? clock.now()) + HOUR_MS
  throw agentLimitReached({
    says: `Phone numbers are hidden from this agent, and it has looked up ${LOOKUPS_PER_HOUR} different ones within an hour. Use chat ids instead.`,
    params: { limit: 'phone_lookups_per_hour', max: LOOKUPS_PER_HOUR },
    headers: { 'Retry-After': String(Math.max(1, Math.ceil((freeAtMs - clock.now()) / 1000))) },
  })
}
