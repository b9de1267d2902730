import type { OrgId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import { agentLimitReached, agentSessionInvalid } from '../agents.errors.ts'
import { addToSession, countSessions, deleteSilentSessions, touchSession } from './gate.sql.ts'

/**
 * Anchoring. A conversation that an agent reads may contain instructions, so afterwards its session writes freely in
 * that conversation only, and after a second conversation in none. The program that runs the agent names its sessions,
 * the model cannot; calls without a name form one session while they follow each other.
 */
export type AgentSession = { orgId: OrgId; agentId: string; session: string }

const NAME = /^[!-~]{1,64}$/
const UNNAMED_MS = 30 * 60_000
const NAMED_MS = 24 * 3600 * 1000
const SESSIONS_MAX = 10_000

export function sessionNameIn(request: Request): string {
  const name = request.headers.get('agent-session')
  if (name === null) return ''
  if (NAME.test(name)) return name
  throw agentSessionInvalid({
    errors: [
      {
        header: 'Agent-Session',
        code: 'wrong_format',
        detail: 'Send 1 to 64 visible ASCII characters without spaces.',
      },
    ],
  })
}

const lifeOf = ({ session }: AgentSession) => (session === '' ? UNNAMED_MS : NAMED_MS)

/** The conversations that the session has read: none, one, or two, which represent several. */
export async function readAnchors(database: Database, key: AgentSession, nowMs: number): Promise<string[]> {
  const times = { now: new Date(nowMs), since: new Date(nowMs - lifeOf(key)) }
  return (await touchSession(database, key.orgId, key, times))?.chat_ids ?? []
}

/** Before the answer goes out, so that nothing that was read can be acted on sooner. */
export async function noteRead(
  database: Database,
  key: AgentSession,
  { chatIds, nowMs }: { chatIds: readonly string[]; nowMs: number },
): Promise<void> {
  if (chatIds.length === 0) return
  const now = new Date(nowMs)
  const { orgId, agentId } = key
  const times = { now, since: new Date(nowMs - lifeOf(key)) }
  if ((await touchSession(database, orgId, key, times)) === null) {
    await deleteSilentSessions(database, orgId, agentId, new Date(nowMs - NAMED_MS))
    if (key.session !== '' && (await countSessions(database, orgId, agentId, SESSIONS_MAX)) >= SESSIONS_MAX)
      throw agentLimitReached({
        says: `This agent has started ${SESSIONS_MAX} sessions within a day. Continue in one of them.`,
        params: { limit: 'sessions_per_day', max: SESSIONS_MAX },
        headers: { 'Retry-After': '3600' },
      })
  }
  await addToSession(database, key.orgId, key, { chatIds, now, since: new Date(nowMs - lifeOf(key)) })
}
