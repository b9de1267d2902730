import { z } from 'zod'
import { type AuditContext, type AuditEntry, listAuditEntries, verifyChain } from '../../accounts/audit/audit.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { defineRoute, type Route, session } from '../../platform/http/define-route.ts'
import { cursorInvalid } from '../../platform/http/http.errors.ts'
import type { CursorPosition } from '../../platform/http/pipeline/cursor.ts'
import {
  cursorParameter,
  limitParameter,
  listOf,
  momentOf,
  momentSchema,
  textSchema,
  timeSchema,
} from '../../platform/http/schemas.ts'

/** Who did what in the organization, and whether the record of it is whole. */
const Entry = z
  .object({
    object: z.literal('audit_entry'),
    sequence: z.int(),
    at: timeSchema,
    actor: z.object({ type: textSchema(20), id: textSchema(100), name: textSchema(254).nullable() }),
    act: textSchema(100),
    subject: textSchema(100).nullable(),
    request_id: textSchema(40).nullable(),
    address: textSchema(100).nullable(),
    hash: textSchema(64).nullable().meta({ description: 'In the chain. Null until the entry is linked.' }),
  })
  .meta({ id: 'AuditEntry' })
const Verification = z.object({
  is_intact: z.boolean(),
  entries: z.int().meta({ description: 'How many were looked at and found sound.' }),
  broken_at: z.int().nullable().meta({ description: 'The sequence at which the chain does not hold.' }),
  is_partial: z.boolean().meta({ description: 'There are more than could be looked at in time.' }),
})
const Filters = z.object({
  limit: limitParameter,
  cursor: cursorParameter,
  actor: textSchema(100, 1).optional(),
  act: textSchema(100, 1).optional(),
  subject: textSchema(100, 1).optional(),
  since: momentSchema.optional(),
  until: momentSchema.optional(),
})

const view = (row: AuditEntry): z.input<typeof Entry> => ({
  object: 'audit_entry',
  sequence: row.sequence,
  at: row.at.toISOString(),
  actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  act: row.act,
  subject: row.subject,
  request_id: row.request_id,
  address: row.address,
  hash: row.hash,
})

const shared = { tag: 'Audit', description: 'Of the console.', access: session('audit:read') } as const
const PATH = '/api/console/audit'
const LIMITS = { timeMsMax: 2000 }

export const auditRoutes = (context: AuditContext): Route[] => [
  defineRoute({
    ...shared,
    id: 'listAuditEntries',
    method: 'GET',
    path: '/audit',
    summary: 'Who did what, newest first',
    query: Filters,
    reply: { status: 200, body: listOf(Entry) },
    example: { reply: { object: 'list', data: [], has_more: false, next_cursor: null, url: PATH } },
    async handle({ query: { limit, cursor, ...filters }, caller, cursors, path }) {
      const scope = { list: 'audit', sort: '-at', filters }
      const position = cursor === undefined ? null : cursors.decode(cursor, scope)
      if (position !== null && !position.ok) throw cursorInvalid()
      const rows = await listAuditEntries(context.database, caller.orgId, {
        ...filterOf(filters),
        ...(position !== null && { before: placeOf(position.position) }),
        limit: limit + 1,
      })
      const page = rows.slice(0, limit)
      const last = rows.length > limit ? page.at(-1) : undefined
      return {
        object: 'list' as const,
        data: page.map(view),
        has_more: last !== undefined,
        next_cursor:
          last === undefined ? null : cursors.encode({ ...scope, position: [last.at.toISOString(), last.sequence] }),
        url: path,
      }
    },
  }),
  defineRoute({
    ...shared,
    id: 'verifyAudit',
    method: 'GET',
    path: '/audit/verification',
    summary: 'Whether the record is whole',
    reply: { status: 200, body: Verification },
    example: { reply: { is_intact: true, entries: 12, broken_at: null, is_partial: false } },
    async handle({ caller }) {
      const verdict = await verify(context, caller.orgId)
      const { isIntact, entries, brokenAt, isPartial } = verdict
      return { is_intact: isIntact, entries, broken_at: brokenAt, is_partial: isPartial }
    },
  }),
]

/** Checkpoints in a store that is away are left to `nexkit audit verify`, which says so. */
const verify = (context: AuditContext, orgId: OrgId) =>
  verifyChain(context, orgId, LIMITS).catch(() => verifyChain({ ...context, checkpointStore: null }, orgId, LIMITS))

const placeOf = ([at, sequence]: CursorPosition) => ({ at: new Date(String(at)), sequence: Number(sequence) })

type FilterValues = Omit<z.output<typeof Filters>, 'limit' | 'cursor'>

const filterOf = ({ actor, act, subject, since, until }: FilterValues) => ({
  ...(actor !== undefined && { actorId: actor }),
  ...(act !== undefined && { act }),
  ...(subject !== undefined && { subject }),
  ...(since !== undefined && { since: momentOf(since) }),
  ...(until !== undefined && { until: momentOf(until) }),
})
