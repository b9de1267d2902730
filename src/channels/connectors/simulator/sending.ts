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
import { networkErrors, refusal } from './network-errors.ts'
import { fileIdOf, outboundIdOf, seedOf, userIdOf } from './seeded.ts'
import { findFile, findLastWrote, insertFile, noteRefusal } from './simulator.sql.ts'
import { type Form, formOf } from './status-scripts.ts'
import { templateProblem } from './templates.ts'
import { type Behaviour, behaviourOf, ordinary, type SendAnswer, scriptFor, windowClosed } from './test-numbers.ts'

/**
 * What the network answers to a message, decided by whom it is for (test-numbers.ts). An ordinary one costs its share of
 * one statement; only those that are to be refused a few times are counted one by one.
 */
export type SendingOptions = {
  database: Database
  clock: Clock
  acceptances: Acceptances
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
  const problem = content.type === 'template' ? templateProblem(content.template) : null
  if (problem !== null) return refusal(problem.error, { details: problem.details })
  const behaviour = await behaviourFor(options, number, { to: message.to, form })
  return answer(options, { number, message, form, behaviour }, signal)
}

/** A number that keeps the reply window has a network that keeps it, too, whatever was checked before. */
async function behaviourFor(
  { database, clock }: SendingOptions,
  number: ChannelNumber,
  { to, form }: { to: ChannelPerson; form: Form },
): Promise<Behaviour> {
  const behaviour = behaviourOf(to)
  if (behaviour.script !== ordinary.script || form === 'template' || number.settings.reply_window !== true)
    return behaviour
  const ids = [to.phone, to.userId].filter((id) => id !== null)
  const { at } = await findLastWrote(database, number.orgId, { numberId: number.id, ids })
  return at !== null && at.getTime() > clock.now() - DAY_MS ? behaviour : windowClosed
}

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
  const isContentKept = message.content.type === 'interactive' || script === 'answering'
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
