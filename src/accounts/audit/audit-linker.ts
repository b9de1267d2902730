import type { OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import {
  type AuditHead,
  EMPTY_HEAD,
  findAuditHead,
  type Link,
  listUnlinked,
  listUnlinkedLogs,
  lockLinker,
  moveLinkedHead,
  saveLinks,
} from './audit.sql.ts'
import { type AuditContext, hashOf, isAuthentic } from './audit-log.ts'

/**
 * The linker puts entries of the audit log into the chain, many at a time, right after their commit.
 *
 *   an act commits ──▶ wake ── 100 ms ──▶ organizations with unlinked entries ──▶ one run each: hashes, then the linked head
 *
 * What a crash or a command leaves unlinked is found when a process starts or writes checkpoints. Of several processes one links a log at a
 * time.
 * An entry that does not fit its mac, or is a copy of another, is linked with a hash that verification refuses: the log goes on behind it
 * and never vouches for it.
 */
const RUN_ENTRIES_MAX = 1000
const LOGS_AT_ONCE = 500

type Run = { forged: number[]; isComplete: boolean }

const NOTHING_DONE: Run = { forged: [], isComplete: false }

async function linkRun({ key }: AuditContext, tx: Tx, orgId: OrgId): Promise<Run> {
  const [isLocked, found, rows] = await Promise.all([
    lockLinker(tx, orgId),
    findAuditHead(tx, orgId),
    listUnlinked(tx, orgId, RUN_ENTRIES_MAX),
  ])
  if (!isLocked) return NOTHING_DONE
  const head = found ?? EMPTY_HEAD
  const forged = rows.filter((row) => row.is_copy || !isAuthentic(key, row)).map(({ sequence }) => sequence)
  const links: Link[] = []
  for (const row of rows) {
    const previous_hash = links.at(-1)?.hash ?? head.linked_hash
    const hash = hashOf(key, { ...row, previous_hash }, forged.includes(row.sequence) ? ['forged'] : [])
    links.push({ sequence: row.sequence, previous_hash, hash })
  }
  const isComplete = rows.length < RUN_ENTRIES_MAX
  await tx.finish(() =>
    Promise.all([saveLinks(tx, orgId, links), moveLinkedHead(tx, orgId, headAfter(head, links, isComplete))]),
  )
  return { forged, isComplete }
}

/** Entries that were removed before they were linked are left behind: verification finds the gap. */
const headAfter = (head: AuditHead, links: readonly Link[], isComplete: boolean) => {
  const last = links.at(-1) ?? { sequence: head.linked_sequence, hash: head.linked_hash }
  return {
    linked_sequence: isComplete ? Math.max(last.sequence, head.last_sequence) : last.sequence,
    linked_hash: last.hash,
  }
}

/** Links the entries of one log. False when some are left because another process links them. */
export async function linkLog(context: AuditContext, log: Log, orgId: OrgId): Promise<boolean> {
  for (;;) {
    const run = await context.database.transaction((tx) => linkRun(context, tx, orgId), { opensWithReads: true })
    if (run.forged.length > 0)
      log.error(
        { org_id: orgId, sequences: run.forged },
        'entries of the audit log do not fit their hash; run "npx nexkit audit verify"',
      )
    if (run === NOTHING_DONE) return false
    if (run.isComplete) return true
  }
}

/** Links the logs of all organizations. False when some entries are left. */
export async function linkLogs(context: AuditContext, log: Log): Promise<boolean> {
  let [isComplete, after] = [true, '']
  for (;;) {
    const logs = await listUnlinkedLogs(context.database, { after, limit: LOGS_AT_ONCE })
    for (const { org_id } of logs) isComplete = (await linkLog(context, log, org_id)) && isComplete
    if (logs.length < LOGS_AT_ONCE) return isComplete
    after = logs.at(-1)?.org_id ?? ''
  }
}

const DELAY_MS = 100

export type AuditLinker = { start(): Promise<void>; stop(): Promise<void> }

export function createAuditLinker(context: AuditContext, log: Log): AuditLinker {
  let isStarted = false
  let planned: ReturnType<typeof setTimeout> | null = null
  let running: Promise<boolean> | null = null
  let isWoken = false

  const link = () =>
    linkLogs(context, log).catch((error) => {
      // The next entry, or the writer of checkpoints, tries again.
      log.warn({ err: error }, 'the audit log could not be linked; will try again')
      return true
    })
  async function runPlanned() {
    planned = null
    isWoken = false
    running = link()
    const isComplete = await running
    running = null
    if (isStarted && (isWoken || !isComplete)) plan()
  }
  function plan() {
    planned ??= setTimeout(runPlanned, DELAY_MS)
    planned.unref()
  }
  function wake() {
    isWoken = true
    if (running === null) plan()
  }

  return {
    async start() {
      isStarted = true
      context.linker.wake = wake
      wake()
    },
    async stop() {
      isStarted = false
      context.linker.wake = () => {}
      if (planned !== null) clearTimeout(planned)
      await running
      await link()
    },
  }
}
