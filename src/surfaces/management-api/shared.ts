import { z } from 'zod'
import type { KeyInitiator } from '../../accounts/keys/keys.ts'
import { ProblemError } from '../../kernel/errors.ts'
import type { Id } from '../../kernel/ids.ts'
import { validationFailed } from '../../platform/http/http.errors.ts'
import type { Caller } from '../../platform/http/pipeline/caller.ts'
import type { CursorPosition } from '../../platform/http/pipeline/cursor.ts'
import { refuseValues } from '../../platform/http/pipeline/validation.ts'
import { cursorParameter, limitParameter } from '../../platform/http/schemas.ts'

/** What the routes of management have in common. */
export const pageQuery = z.strictObject({ limit: limitParameter, cursor: cursorParameter })

/** A page of a short list that is read as a whole, newest first by id. */
export const pageOf = <Row extends { id: string }>(
  rows: readonly Row[],
  { limit, position }: { limit: number; position: CursorPosition | null },
): Row[] =>
  rows
    .toSorted((one, other) => (one.id < other.id ? 1 : -1))
    .filter(({ id }) => position === null || id < String(position[0]))
    .slice(0, limit)

/**
 * Connectors and providers know more fields than the published schema can say. A body that satisfies the schema is refused
 * with 409, also where the console and the commands call the same refusal a 422. Refused URLs stay 422 everywhere.
 */
export async function beyondSchema<Value>(act: () => Promise<Value>): Promise<Value> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== validationFailed.code) throw error
    const errors = error.options.errors ?? []
    throw errors.every(({ code }) => code.startsWith('url_')) ? error : refuseValues([...errors])
  }
}

type Call = { caller: Caller; requestId: Id<'req'> }

/** Keys and people alike: how they are recorded as the creator, and in events. */
export const byCaller = ({ caller, requestId }: Call): { by: string; initiator: KeyInitiator } => ({
  by: caller.type === 'user' ? (caller.name ?? caller.id) : caller.id,
  initiator: { type: caller.type, id: caller.id, requestId },
})
