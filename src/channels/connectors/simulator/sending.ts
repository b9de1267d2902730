import { createHash } from 'node:crypto'
import type { Clock } from '../../../kernel/clock.ts'
import type { Database } from '../../../platform/database/database.ts'
import type {
  ChannelNumber,
  ChannelPerson,
  DownloadOutcome,
  MediaFile,
  OutboundMessage,
  SendOutcome,
  UploadOutcome,
} from '../../channel-connector.ts'
import type { Acceptances } from './acceptance.ts'
import { findTemplate } from './management.ts'
import { type NetworkError, networkErrors, refusal } from './network-errors.ts'
import { behaviourOfRule } from './rules.ts'
import { fileIdOf, outboundIdOf, seedOf, userIdOf } from './seeded.ts'
import { findFile, insertFile, noteRefusal } from './simulator.sql.ts'
import { isStrict, PAIR_MESSAGES_MAX, type ReadStanding, type Standing } from './standings.ts'
import { type Form, formOf, type Script } from './status-scripts.ts'
import { templateProblem } from './templates.ts'
import { type Behaviour, behaviourOf, ordinary, type SendAnswer, scriptFor } from './test-numbers.ts'

/**
 * What the network answers to a message: decided by whom it is for (test-numbers.ts), by the rules that a test has set
 * (rules.ts) and, unless the number is lenient, by the limits of a real number.
 */
export type SendingOptions = {
  database: Database
  clock: Clock
  acceptances: Acceptances
  readStanding: ReadStanding
  /** False when the number sends more than a real one may. */
  takeTurn: (number: ChannelNumber) => boolean
  /** How long the slow number takes to answer. */
  slowAnswerMs: number
}

const DAY_MS = 24 * 3600 * 1000

type Outgoing = { number: ChannelNumber; message: OutboundMessage; form: Form; behaviour: Behaviour }

export async function send(
  options: SendingOptions,
  number: ChannelNumber,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { content } = message
  const form = formOf(content)
  if (form === null) return refusal(networkErrors.typeUnsupported)
  const template = content.type === 'template' ? await findTemplate(options, number, content.template) : null
  const problem = content.type === 'template' ? templateProblem(content.template, template) : null
  if (problem !== null) return refusal(problem.error, { details: problem.details })
  const standing = await options.readStanding(number, message.to)
  const usual = usualBehaviour(message.to, standing)
  const isMarketing = template?.category === 'MARKETING'
  const behaviour = limited(options, { number, form, isMarketing, standing, usual })
  return answer(options, { number, message, form, behaviour }, signal)
}

/** Without the limits of a real number. */
function usualBehaviour(to: ChannelPerson, { recipientRule, numberRule }: Standing): Behaviour {
  if (recipientRule !== null) return behaviourOfRule(recipientRule)
  const published = behaviourOf(to)
  return published === ordinary && numberRule !== null ? behaviourOfRule(numberRule) : published
}

const refusesWith = (error: NetworkError): Behaviour => ({
  ...ordinary,
  answer: { kind: 'refuses', error, times: null },
})

type Judged = {
  number: ChannelNumber
  form: Form
  isMarketing: boolean
  standing: Standing
  usual: Behaviour
}

/** What the customer and the business have blocked counts everywhere; the limits of a real number count where it is strict. */
function limited(options: SendingOptions, { number, form, isMarketing, standing, usual }: Judged): Behaviour {
  if (standing.isBlockedByBusiness) return refusesWith(networkErrors.blockedByBusiness)
  if (isStrict(number) && usual.answer.kind !== 'refuses') {
    if (!options.takeTurn(number)) return refusesWith(networkErrors.throttled)
    if (standing.recent >= PAIR_MESSAGES_MAX) return refusesWith(networkErrors.pairThrottled)
  }
  if (standing.hasBlockedBusiness) return { ...usual, script: 'undelivered' }
  if (isMarketing && standing.hasStoppedMarketing) return { ...usual, script: MARKETING_STOPPED }
  const isFailing = typeof usual.script === 'string' && usual.script !== ordinary.script
  if (isFailing || form === 'template' || !isStrict(number)) return usual
  const { lastWroteAt } = standing
  const isOpen = lastWroteAt !== null && lastWroteAt.getTime() > options.clock.now() - DAY_MS
  return isOpen ? usual : { ...usual, script: 'window_closed' }
}

const MARKETING_STOPPED: Script = [{ status: 'failed', error_code: networkErrors.marketingStopped.code }]

async function answer(options: SendingOptions, outgoing: Outgoing, signal: AbortSignal): Promise<SendOutcome> {
  const { answer: kind } = outgoing.behaviour
  switch (kind.kind) {
    case 'accepts':
      return accept(options, outgoing)
    case 'accepts_silently': {
      const outcome = await accept(options, outgoing)
      return outcome.kind === 'accepted' ? { kind: 'unknown', detail: 'the answer got lost' } : outcome
    }
    case 'loses':
      return { kind: 'unknown', detail: 'no answer came' }
    case 'accepts_slowly':
      return (await passes(options.slowAnswerMs, signal))
        ? accept(options, outgoing)
        : refusal(networkErrors.unavailable)
    case 'refuses':
      return refuse(options, outgoing, kind)
  }
}

/** False when the call was aborted before that. */
function passes(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(true), ms)
  const giveUp = () => {
    clearTimeout(timer)
    resolve(false)
  }
  signal.addEventListener('abort', giveUp, { once: true })
  return promise.finally(() => signal.removeEventListener('abort', giveUp))
}

async function refuse(
  options: SendingOptions,
  outgoing: Outgoing,
  { error, times, retryAfterMs, isTemplateTaken }: Extract<SendAnswer, { kind: 'refuses' }>,
): Promise<SendOutcome> {
  if (isTemplateTaken && outgoing.form === 'template') return accept(options, outgoing)
  const refused = refusal(error, retryAfterMs === undefined ? {} : { retryAfterMs })
  if (times === null) return refused
  const { number, message } = outgoing
  const place = { numberId: number.id, recipient: keyOf(message.to), messageId: message.id }
  const now = new Date(options.clock.now())
  const { refusals } = await noteRefusal(options.database, number.orgId, { ...place, now })
  return refusals <= times ? refused : accept(options, outgoing)
}

/** What a person is known by here: their phone where there is one. */
const keyOf = ({ phone, userId }: ChannelPerson): string => phone ?? userId ?? ''

async function accept({ acceptances }: SendingOptions, outgoing: Outgoing): Promise<SendOutcome> {
  const { number, message, form, behaviour } = outgoing
  const script = scriptFor(behaviour, form)
  const isContentKept = ['interactive', 'template'].includes(message.content.type) || script === 'answering'
  const taking = await acceptances.take({
    number,
    recipient: keyOf(message.to),
    messageId: message.id,
    content: isContentKept ? JSON.stringify(message.content) : null,
    script,
    form,
  })
  if (taking.kind === 'not_taken') return refusal(networkErrors.unavailable, { details: taking.detail })
  if (taking.kind === 'unknown') return { kind: 'unknown', detail: 'the connection was lost' }
  return {
    kind: 'accepted',
    providerId: outboundIdOf(seedOf(number), message.id, taking.copies),
    recipient: recipientOf(message.to, behaviour),
  }
}

/** The network's own name for them, which may not be the one that was dialled. */
function recipientOf(to: ChannelPerson, { isPhoneHidden, reportedPhone }: Behaviour): ChannelPerson {
  if (to.phone === null) return to
  if (isPhoneHidden) return { phone: to.phone, userId: userIdOf(to.phone) }
  return { phone: reportedPhone ?? to.phone, userId: to.userId }
}

/** Files that the network holds for a number, in both directions. The same bytes are one file with one id. */
export type FilesOptions = { database: Database; clock: Clock }

export const FILE_BYTES_MAX = 16 * 1024 * 1024

/** Answers with the network's id of it. */
export async function keepFile(
  { database, clock }: FilesOptions,
  number: ChannelNumber,
  { bytes, mimeType, filename }: Omit<MediaFile, 'type'>,
): Promise<string> {
  const id = fileIdOf(seedOf(number), createHash('sha256').update(bytes).update(mimeType).digest('hex'))
  const file = { numberId: number.id, id, mime_type: mimeType, filename, bytes }
  await insertFile(database, number.orgId, { ...file, now: new Date(clock.now()) })
  return id
}

export async function uploadMedia(
  options: FilesOptions,
  number: ChannelNumber,
  file: MediaFile,
): Promise<UploadOutcome> {
  if (file.bytes.byteLength > FILE_BYTES_MAX) return refusal(networkErrors.fileTooLarge)
  return { kind: 'done', providerMediaId: await keepFile(options, number, file) }
}

export async function downloadMedia(
  { database }: FilesOptions,
  number: ChannelNumber,
  id: string,
): Promise<DownloadOutcome> {
  const file = await findFile(database, number.orgId, { numberId: number.id, id })
  if (file === null) return refusal(networkErrors.fileUnknown)
  return { kind: 'done', mimeType: file.mime_type, bytes: file.bytes }
}
