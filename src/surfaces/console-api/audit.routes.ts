import { z } from 'zod'
import {
  type AuditChange,
  type AuditContext,
  type AuditEntry,
  listAuditEntries,
  verifyChain,
} from '../../accounts/audit/audit.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { defineList } from '../../platform/http/define-list.ts'
import { defineRoute, type Route } from '../../platform/http/define-route.ts'
import type { CursorPosition } from '../../platform/http/pipeline/cursor.ts'
import {
  cursorParameter,
  limitParameter,
  momentOf,
  momentSchema,
  textSchema,
  timeSchema,
} from '../../platform/http/schemas.ts'
import { session } from './sign-in/session-caller.ts'

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
    changes: z
      .array(z.object({ field: textSchema(100), before: textSchema(1000), after: textSchema(1000) }))
      .meta({ description: 'What an edit changed.' }),
    hash: textSchema(64).nullable().meta({ description: 'In the chain. Null until the entry is linked.' }),
  })
  .meta({ id: 'AuditEntry' })
const Verification = z.object({
  is_intact: z.boolean(),
  entries: z.int().meta({ description: 'Number of entries verified.' }),
  broken_at: z.int().nullable().meta({ description: 'The sequence at which the chain is broken.' }),
  is_partial: z.boolean().meta({ description: 'There are more entries than could be verified in time.' }),
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
  changes: row.changes === null ? [] : (JSON.parse(row.changes) as AuditChange[]),
  hash: row.hash,
})

const shared = { tag: 'Audit', description: 'Of the console.', access: session('audit:read') } as const
const LIMITS = { timeMsMax: 2000 }

export const auditRoutes = (context: AuditContext): Route[] => [
  defineList({
    ...shared,
    id: 'listAuditEntries',
    path: '/audit',
    summary: 'List audit entries',
    query: Filters,
    item: Entry,
    example: { items: [] },
    list: 'audit',
    sort: '-at',
    scopeOf: ({ filters }) => filters,
    read: ({ caller, filters, limit, position }) =>
      listAuditEntries(context.database, caller.orgId, {
        ...filterOf(filters),
        ...(position !== null && { before: placeOf(position) }),
        limit,
      }),
    place: ({ at, sequence }) => [at.toISOString(), sequence],
    present: (rows) => rows.map(view),
  }),
  defineRoute({
    ...shared,
    id: 'verifyAudit',
    method: 'GET',
    path: '/audit/verification',
    summary: 'Verify the audit log',
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
