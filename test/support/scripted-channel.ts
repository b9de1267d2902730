import type {
  CallOutcome,
  ChannelConnector,
  ChannelFailure,
  ChannelReport,
  ChannelTraits,
  MediaFile,
  OutboundMessage,
  ReadReceipt,
  SendOutcome,
  TemplatesOutcome,
} from '../../src/channels/channel-connector.ts'

/**
 * A network whose answers the test writes. It represents the outside world: it counts what really reached it, so that a
 * test can compare what a customer would have received with what we believe.
 */
export type ScriptedChannel = ChannelConnector & {
  /** Every message that the network took, in order, including those whose answer got lost. */
  taken: OutboundMessage[]
  /** Every call of `send`, whatever came of it. */
  calls: OutboundMessage[]
  reads: ReadReceipt[]
  /** Every file that was uploaded; the network calls them `provider-media-1` and so on. */
  uploads: MediaFile[]
  /** How `send` answers from now on. `take` puts the message among those that reached the customer. */
  answerWith(answer: SendAnswer): void
  answerReadsWith(outcome: CallOutcome): void
  /** What it lists from now on; at first it refuses to say, so that any template is taken. */
  answerTemplatesWith(answer: () => TemplatesOutcome | Promise<TemplatesOutcome>): void
}

export type SendAnswer = (
  message: OutboundMessage,
  network: { take: () => SendOutcome; signal: AbortSignal; nth: number },
) => SendOutcome | Promise<SendOutcome>

const TRAITS: ChannelTraits = {
  hasReplyWindow: false,
  messagesPerSecondMax: 10_000,
  pairGapMs: 0,
  isNumberIdGlobal: false,
}

export const accept: SendAnswer = (_, { take }) => take()

/** Took it, and the answer never came. */
export const takeAndGoSilent: SendAnswer = (_, { take }) => {
  take()
  return { kind: 'unknown', detail: 'no answer within 30 s' }
}

export const refuse =
  (failure: Partial<ChannelFailure>): SendAnswer =>
  () => ({
    kind: 'refused',
    failure: {
      class: 'permanent',
      scope: 'recipient',
      code: 'recipient_unreachable',
      providerCode: '131026',
      detail: 'Message undeliverable.',
      retryAfterMs: null,
      ...failure,
    },
  })

const UNTOLD: TemplatesOutcome = {
  kind: 'refused',
  failure: {
    class: 'permanent',
    scope: 'number',
    code: 'untold',
    providerCode: null,
    detail: 'Not given.',
    retryAfterMs: null,
  },
}

export function createScriptedChannel(
  options: { name?: string; traits?: Partial<ChannelTraits> } = {},
): ScriptedChannel {
  const taken: OutboundMessage[] = []
  const calls: OutboundMessage[] = []
  const reads: ReadReceipt[] = []
  const uploads: MediaFile[] = []
  let answer: SendAnswer = accept
  let listing: () => TemplatesOutcome | Promise<TemplatesOutcome> = () => UNTOLD
  let readOutcome: CallOutcome = { kind: 'done' }
  return {
    name: options.name ?? 'scripted',
    displayName: 'Scripted',
    isSimulated: false,
    traits: { ...TRAITS, ...options.traits },
    fields: [],
    taken,
    calls,
    reads,
    uploads,
    answerWith(given) {
      answer = given
    },
    answerReadsWith(outcome) {
      readOutcome = outcome
    },
    answerTemplatesWith(given) {
      listing = given
    },
    async send(_, message, signal) {
      calls.push(message)
      const nth = calls.length
      const take = (): SendOutcome => {
        taken.push(message)
        return { kind: 'accepted', providerId: `wamid.${message.id}.${nth}`, recipient: message.to }
      }
      return answer(message, { take, signal, nth })
    },
    async markRead(_, read) {
      reads.push(read)
      return readOutcome
    },
    async uploadMedia(_, file) {
      uploads.push(file)
      return { kind: 'done', providerMediaId: `provider-media-${uploads.length}` }
    },
    downloadMedia: async () => ({ kind: 'done', mimeType: 'image/png', bytes: new Uint8Array([1, 2, 3]) }),
    listTemplates: async () => listing(),
    probe: async () => ({ kind: 'done' }),
    readHook: () => ({ kind: 'genuine' }),
    readBatch: readReports,
  }
}

/** The batch is the reports themselves as JSON, with times as text; an item that is no object is unreadable. */
function readReports(body: Uint8Array): ChannelReport[] {
  const items: unknown = JSON.parse(Buffer.from(body).toString())
  return (items as unknown[]).map((item) =>
    typeof item === 'object' && item !== null
      ? ({
          ...item,
          ...('at' in item && { at: item.at === null ? null : new Date(item.at as string) }),
        } as ChannelReport)
      : { kind: 'unreadable', problem: 'not an object', phoneNumberId: null, raw: item },
  )
}

export const batchOf = (reports: readonly unknown[]): Uint8Array => Buffer.from(JSON.stringify(reports))
