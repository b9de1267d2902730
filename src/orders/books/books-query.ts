import { firstIdAt } from '../../kernel/ids.ts'
import type { CursorPosition } from '../../platform/http/pipeline/cursor.ts'
import { cursorParameter, idSchema, limitParameter, momentOf, momentSchema } from '../../platform/http/schemas.ts'

/** The parameters of all lists of the books. */
export const commonQuery = {
  limit: limitParameter,
  cursor: cursorParameter,
  order_id: idSchema('ord').optional().meta({ description: 'Filter by order.' }),
  created_after: momentSchema.optional().meta({ description: 'Created at this time or later.' }),
  created_before: momentSchema.optional().meta({ description: 'Created before this time.' }),
}

type Span = { created_after?: string | undefined; created_before?: string | undefined }

/** Ids carry the time of creation, so a span of time is a span of ids. */
export function idsOf(prefix: 'pay' | 'rfd', filters: Span, position: CursorPosition | null) {
  const idAt = (text: string | undefined) => (text === undefined ? null : firstIdAt(prefix, momentOf(text)))
  const bounds = [idAt(filters.created_before), position === null ? null : String(position[0])]
  const [beforeId = null] = bounds.filter((bound) => bound !== null).toSorted()
  return { fromId: idAt(filters.created_after), beforeId }
}
