import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import type { ContentProblem } from '../content/content-checks.ts'
import { listReferredFiles, type ReferredFile } from '../content/content-media.ts'
import { checkMediaFile } from '../content/media-limits.ts'
import type { MessageContent } from '../content/message-content.ts'
import { listMedia, type Media } from './media.ts'

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
