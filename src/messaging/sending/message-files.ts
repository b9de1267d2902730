import type { MessageContent } from '../../channels/content/message-content.ts'
import { mediaNotFound } from '../../channels/media/media.errors.ts'
import { checkReferredFiles } from '../../channels/media/referred-files.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import { refuseValues } from '../../platform/http/pipeline/field-refusals.ts'

/** Throws the error for the caller when a file of the message does not exist, or does not suit its place. */
export async function checkFiles(queries: Queries, orgId: OrgId, content: MessageContent): Promise<void> {
  const { refusals } = await checkReferredFiles(queries, orgId, content)
  const unknown = refusals.find((refusal) => refusal.kind === 'unknown')
  if (unknown !== undefined) throw mediaNotFound({ params: { id: unknown.file.id } })
  const errors = refusals.flatMap((refusal) => {
    if (refusal.kind !== 'unsuited') return []
    const { path, code, detail, params } = refusal.problem
    return [{ pointer: `#/${path.join('/')}`, code, detail, ...(params !== undefined && { params }) }]
  })
  if (errors.length > 0) throw refuseValues(errors)
}
