import { ProblemError } from '../../kernel/errors.ts'
import type { ChannelFailure, UploadOutcome } from '../channel-connector.ts'
import { listReferredFiles, replaceNestedFiles } from '../content/content-media.ts'
import type { MediaType, MessageContent } from '../content/message-content.ts'
import type { OpenedNumber } from '../numbers/numbers.ts'
import { type MediaContext, uploadToProvider } from './media.ts'

/**
 * Files of ours in a message that is about to leave: each is handed to the network first, and the network's id takes the
 * place of ours. They stand in `media`, in the header of an interactive message, and in the parameters of a template.
 */
export type PreparedContent =
  | { kind: 'ready'; content: MessageContent; providerMediaId: string | null }
  | { kind: 'refused'; failure: ChannelFailure }

type Opened = Pick<OpenedNumber, 'number' | 'connector'>

export async function prepareMedia(
  context: MediaContext,
  opened: Opened,
  content: MessageContent,
  signal: AbortSignal,
): Promise<PreparedContent> {
  const wanted = new Map(listReferredFiles(content).map(({ id, type }) => [id, type]))
  const providerIds = new Map<string, string>()
  for (const [mediaId, type] of wanted) {
    const outcome = await uploadSafely(context, opened, { mediaId, type }, signal)
    if (outcome.kind === 'refused') return outcome
    providerIds.set(mediaId, outcome.providerMediaId)
  }
  const own = 'media' in content ? content.media.id : undefined
  const providerMediaId = own === undefined ? null : (providerIds.get(own) ?? null)
  return { kind: 'ready', content: replaceNestedFiles(content, providerIds), providerMediaId }
}

/** A file that is gone is the message's failure, not ours; one that has not come yet is worth waiting for. */
async function uploadSafely(
  context: MediaContext,
  opened: Opened,
  file: { mediaId: string; type: MediaType },
  signal: AbortSignal,
): Promise<UploadOutcome> {
  try {
    return await uploadToProvider(context, opened, file, signal)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const isWaiting = error.code === 'media_not_ready'
    return {
      kind: 'refused',
      failure: {
        class: isWaiting ? 'retry' : 'permanent',
        scope: 'recipient',
        code: error.code,
        providerCode: null,
        detail: error.message,
        retryAfterMs: null,
      },
    }
  }
}
