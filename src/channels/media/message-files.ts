import { ProblemError } from '../../kernel/errors.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import type { ChannelFailure, UploadOutcome } from '../channel-connector.ts'
import {
  type ContentProblem,
  checkMediaFile,
  listReferredFiles,
  type MediaType,
  type MessageContent,
  type ReferredFile,
  replaceNestedFiles,
} from '../content/content.ts'
import type { OpenedNumber } from '../numbers/numbers.ts'
import { listMedia, type Media, type MediaContext, uploadToProvider } from './media-files.ts'

/**
 * The files that a message names by our ids, looked at before it is accepted: each has to be there, and its type and size
 * have to suit the place it stands in. Reported then, it is a field to correct; reported by the network, it is a failed message.
 */
export type FileRefusal = { kind: 'unknown'; file: ReferredFile } | { kind: 'unsuited'; problem: ContentProblem }

export type FoundFiles = { files: ReadonlyMap<string, Media>; refusals: FileRefusal[] }

export async function checkReferredFiles(queries: Queries, orgId: OrgId, content: MessageContent): Promise<FoundFiles> {
  const referred = listReferredFiles(content)
  if (referred.length === 0) return NOTHING
  const rows = await listMedia(queries, orgId, [...new Set(referred.map(({ id }) => id))])
  const files = new Map<string, Media>(rows.map((row) => [row.id, row]))
  return { files, refusals: referred.flatMap((file) => refusalsOf(file, files.get(file.id))) }
}

const NOTHING: FoundFiles = { files: new Map(), refusals: [] }

/** The size of a file that has not been fetched yet is unknown. */
function refusalsOf(file: ReferredFile, media: Media | undefined): FileRefusal[] {
  if (media === undefined) return [{ kind: 'unknown', file }]
  const known = { mimeType: media.mime_type, ...(media.bytes !== null && { bytes: Number(media.bytes) }) }
  return checkMediaFile(file.type, known, file.path).map((problem) => ({ kind: 'unsuited' as const, problem }))
}

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
