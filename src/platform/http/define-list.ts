import type { z } from 'zod'
import type { DefinedError } from '../../kernel/errors.ts'
import { type Access, type AgentTool, checkRoute, type RequestContext, type Route } from './define-route.ts'
import { cursorInvalid } from './http.errors.ts'
import { CSV_PAGE_ROWS } from './pipeline/csv-answer.ts'
import type { CursorCodec, CursorPosition, CursorScope } from './pipeline/cursor.ts'
import { type cursorParameter, type limitParameter, listOf } from './schemas.ts'

/**
 * A list, declared once: a GET that answers with a page, by `limit`, and goes on where the cursor of the page before says.
 * A cursor belongs to its list, sort and filters.
 */
export type ListDeclaration<
  Params extends z.ZodObject | undefined,
  Query extends ListQuery,
  Item extends z.ZodType,
  Row,
> = {
  id: string
  path: `/${string}`
  tag: string
  summary: string
  description: string
  access: Access
  agentTool?: AgentTool
  params?: Params
  /** With `limit` and `cursor`; all other members are filters. */
  query: Query
  item: Item
  /** Beside that of a cursor that is not ours. */
  errors?: readonly DefinedError[]
  example: { params?: Record<string, string>; query?: Record<string, string>; items: unknown[] }
  /** The name of the list in its cursors, which outlive a release. */
  list: string
  sort: string | ((filters: FiltersOf<Query>) => string)
  /** What a cursor belongs to; the filters and the organization unless it says otherwise. */
  scopeOf?: (call: ListCall<Params, Query>) => unknown
  read: (call: ListCall<Params, Query>) => Promise<Row[]>
  /** The position of a row, from which the next page goes on. */
  place: (row: Row, call: ListCall<Params, Query>) => CursorPosition
  present: (rows: Row[], call: ListCall<Params, Query>) => z.input<Item>[] | Promise<z.input<Item>[]>
}

export type ListQuery = z.ZodObject<{ limit: typeof limitParameter; cursor: typeof cursorParameter }>
type FiltersOf<Query extends ListQuery> = Omit<z.output<Query>, 'limit' | 'cursor'>

type ListCall<Params, Query extends ListQuery> = RequestContext & {
  params: Params extends z.ZodType ? z.output<Params> : undefined
  filters: FiltersOf<Query>
} & PageRequest

/** Rows to read: one more than the page shows, from the position on, which is null on the first page. */
type PageRequest = { limit: number; position: CursorPosition | null }

/** The position of what is listed by its id. */
export const placeById = ({ id }: { id: string }): CursorPosition => [id]

export function defineList<
  Query extends ListQuery,
  Item extends z.ZodType,
  Row,
  Params extends z.ZodObject | undefined = undefined,
>(declaration: ListDeclaration<Params, Query, Item, Row>): Route {
  const { list, sort, scopeOf, read, place, present, item, example, errors = [], ...facts } = declaration
  const { items, ...request } = example
  return checkRoute({
    ...facts,
    method: 'GET',
    reply: { status: 200, body: listOf(item) },
    errors: [cursorInvalid, ...errors],
    example: { ...request, reply: exampleOf(declaration, items) },
    handle(input: ListInput<Params, Query>) {
      const { limit, cursor, ...filters } = input.query
      const call = { ...input, filters, limit: limit + 1, position: null }
      return answerPage({ ...input, limit, cursor }, cursorScope(declaration, call), {
        read: (page) => read({ ...call, ...page }),
        place: (row) => place(row, call),
        present: (rows) => present(rows, call),
      })
    },
    csv: { row: item, pages: (input: ListInput<Params, Query>) => readPages(declaration, input) },
  })
}

type ListInput<Params, Query extends ListQuery> = RequestContext &
  Pick<ListCall<Params, Query>, 'params'> & { query: z.output<Query> }

function cursorScope<Params extends z.ZodObject | undefined, Query extends ListQuery, Item extends z.ZodType, Row>(
  { list, sort, scopeOf }: ListDeclaration<Params, Query, Item, Row>,
  call: ListCall<Params, Query>,
): CursorScope {
  return {
    list,
    sort: typeof sort === 'string' ? sort : sort(call.filters),
    filters: scopeOf?.(call) ?? { ...call.filters, org: call.caller.orgId },
  }
}

/** All that matches the filters, from the cursor on; `limit` is for pages that a caller asks for. */
async function* readPages<Params extends z.ZodObject | undefined, Query extends ListQuery, Item extends z.ZodType, Row>(
  declaration: ListDeclaration<Params, Query, Item, Row>,
  input: ListInput<Params, Query>,
): AsyncGenerator<z.input<Item>[]> {
  const { limit: _, cursor, ...filters } = input.query
  const first = { ...input, filters, limit: CSV_PAGE_ROWS + 1, position: null }
  let position = cursor === undefined ? null : readCursor(input.cursors, cursor, cursorScope(declaration, first))
  for (;;) {
    const call = { ...first, position }
    const rows = await declaration.read(call)
    const page = rows.slice(0, CSV_PAGE_ROWS)
    yield await declaration.present(page, call)
    const last = page.at(-1)
    if (last === undefined || rows.length <= CSV_PAGE_ROWS) return
    position = declaration.place(last, call)
  }
}

type Paging = { limit: number; cursor?: string | undefined; cursors: CursorCodec; path: string }

type Page<Row, Item> = {
  read: (page: PageRequest) => Promise<Row[]>
  place: (row: Row) => CursorPosition
  present: (rows: Row[]) => Item[] | Promise<Item[]>
}

/** A page as answered, alone or within another object. */
export async function answerPage<Row, Item>(
  { limit, cursor, cursors, path }: Paging,
  scope: CursorScope,
  { read, place, present }: Page<Row, Item>,
) {
  const position = cursor === undefined ? null : readCursor(cursors, cursor, scope)
  const rows = await read({ limit: limit + 1, position })
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return {
    object: 'list' as const,
    data: await present(page),
    has_more: last !== undefined,
    next_cursor: last === undefined ? null : cursors.encode({ ...scope, position: place(last) }),
    url: path,
  }
}

export function readCursor(cursors: CursorCodec, cursor: string, scope: CursorScope): CursorPosition {
  const read = cursors.decode(cursor, scope)
  if (!read.ok) throw cursorInvalid()
  return read.position
}

const PUBLISHED_BASES = { key: '/api/public/v1', session: '/api/console', open: '' }

function exampleOf(
  {
    path,
    access,
    example,
  }: Pick<ListDeclaration<undefined, ListQuery, z.ZodType, unknown>, 'path' | 'access' | 'example'>,
  data: unknown[],
) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => example.params?.[name] ?? '')
  return { object: 'list', data, has_more: false, next_cursor: null, url: `${PUBLISHED_BASES[access.type]}${filled}` }
}
