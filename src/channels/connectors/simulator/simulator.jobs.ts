import { z } from 'zod'
import type { OrgId } from '../../../kernel/ids.ts'
import { type ClaimedEntry, defineJob, type Job, type Outcome } from '../../../platform/outbox/job.ts'
import type { ChannelNumber } from '../../channel-connector.ts'
import type { MessageContent } from '../../content/content.ts'
import { REPORT_JOB } from './acceptance.ts'
import { choicesOf, payloadOf, replyPayload, type SentMessage, statusItem } from './hook-items.ts'
import { createStatusHooks, findNumber, type GraphItem, type StatusHooks } from './hooks.ts'
import { type PostOptions, postMessages } from './inbound-posts.ts'
import { inboundIdOf, outboundIdOf, seedOf } from './seeded.ts'
import { deleteOldFiles, deleteOldMessages, findReceived } from './simulator.sql.ts'
import { type Hook, hookDueMs, isScriptName, pulseAfter, type StatusScript, scriptOf } from './status-scripts.ts'

/**
 * The network tells how far messages have come: an entry stands for messages that were taken together, and comes back for
 * each hook of their script.
 *
 *   (taken) ──▶ first hook is due ── posted ──▶ next hook is due … ── the last one posted ──▶ (gone)
 *
 * A process that dies in between posts a hook again. Networks do that, too.
 */
const Listed = z.object({
  status: z.enum(['sent', 'delivered', 'read', 'played', 'failed']),
  after_ms: z.number().optional(),
  times: z.number().optional(),
  error_code: z.number().optional(),
})
const Payload = z.object({
  number_id: z.string(),
  accepted_ms: z.number(),
  course: z.union([z.string().refine(isScriptName), z.array(Listed)]),
  form: z.enum(['message', 'template', 'voice', 'reaction']),
  step: z.number().int(),
  messages: z.array(z.tuple([z.string(), z.string(), z.number()])),
})
type Payload = z.output<typeof Payload>

type Reporting = SentMessage & { script: StatusScript }

const RETRY = { delaysMs: [1_000, 5_000, 30_000, 300_000], jitter: 0.2 }

type ReportOptions = PostOptions & { postStatuses: StatusHooks }

export function createReportJob(posting: PostOptions): Job {
  const options = { ...posting, postStatuses: createStatusHooks(posting.sender) }
  const forget = createForgetting(options)
  return defineJob<Payload>({
    name: REPORT_JOB,
    payload: Payload,
    retry: RETRY,
    run: async (entry) => {
      const outcome = await report(options, entry)
      if (outcome.kind === 'done') await forget(entry.orgId)
      return outcome
    },
  })
}

async function report(options: ReportOptions, { orgId, payload }: ClaimedEntry<Payload>): Promise<Outcome> {
  const number = await findNumber(options.sender(), { orgId: orgId, id: payload.number_id })
  if (number === null) return { kind: 'done' }
  const messages = payload.messages.map(([recipient, messageId, copy]): Reporting => {
    const script = scriptOf(payload.course, payload.form, { seed: seedOf(number), recipient })
    return { recipient, messageId, copy, script }
  })
  await postStep(options, number, { messages, payload })
  const next = messages.flatMap(({ script }) => script[payload.step + 1] ?? [])
  if (next.length === 0) return { kind: 'done' }
  const at = pulseAfter(payload.accepted_ms + Math.max(...next.map(hookDueMs)))
  return { kind: 'repeat', at, payload: { ...payload, step: payload.step + 1 } }
}

type Step = { messages: readonly Reporting[]; payload: Payload }

async function postStep(options: ReportOptions, number: ChannelNumber, { messages, payload }: Step): Promise<void> {
  const { accepted_ms: acceptedMs, form, step } = payload
  const statuses = messages.flatMap((message) =>
    (message.script[step]?.statuses ?? []).map(({ afterMs, ...reported }) =>
      statusItem(seedOf(number), message, { ...reported, form, atMs: acceptedMs + afterMs }),
    ),
  )
  const hooks = messages.flatMap(({ script }) => script[step] ?? [])
  for (let time = 0; time < timesOf(hooks); time++) await options.postStatuses(number, statuses)
  for (const message of messages) if (message.script[step]?.isAnswered) await writeBack(options, number, message)
}

const timesOf = (hooks: readonly Hook[]): number => Math.max(...hooks.map(({ times = 1 }) => times))

/** With the first thing there is to tap on, else with their own words. */
async function writeBack(options: PostOptions, number: ChannelNumber, message: SentMessage): Promise<void> {
  const { recipient, messageId, copy } = message
  const place = { numberId: number.id, recipients: [recipient], messageId }
  const row = await findReceived(options.database, number.orgId, place)
  const seed = seedOf(number)
  const repliesTo = outboundIdOf(seed, messageId, copy)
  const isPhone = /^\d+$/.test(recipient)
  await postMessages(options, {
    number,
    customer: { number, from: isPhone ? recipient : null, ...(!isPhone && { userId: recipient }) },
    payloads: [answerTo(row?.content as MessageContent | null)],
    frame: { repliesTo, providerId: inboundIdOf(seed, 'answer', repliesTo) },
  })
}

function answerTo(content: MessageContent | null): GraphItem {
  const { kind, choices } = choicesOf(content)
  if (choices[0] !== undefined) return replyPayload(kind, choices[0])
  const words = content !== null && 'body' in content && content.body !== undefined ? content.body : 'OK'
  return payloadOf({ type: 'text', body: words })
}

const KEPT_MS = 7 * 24 * 3600 * 1000
const FORGET_EVERY_MS = 60_000
const FORGOTTEN_AT_ONCE = 2_000

/** What is older than a week, now and then, of those who still send. */
function createForgetting({ database, clock }: PostOptions) {
  const forgottenMs = new Map<OrgId, number>()
  return async (orgId: OrgId): Promise<void> => {
    const nowMs = clock.now()
    if (nowMs - (forgottenMs.get(orgId) ?? 0) < FORGET_EVERY_MS) return
    forgottenMs.set(orgId, nowMs)
    const old = { before: new Date(nowMs - KEPT_MS), limit: FORGOTTEN_AT_ONCE }
    await deleteOldMessages(database, orgId, old)
    await deleteOldFiles(database, orgId, old)
  }
}
