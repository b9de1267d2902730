import { Checkbox, Table } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { type MouseEvent, memo, type ReactNode, useEffect, useReducer, useRef } from 'react'
import { useRowsInSteps } from './rows-in-steps.ts'
import { Skeleton } from './Skeleton.tsx'

/**
 * A table that never lies: rows as they are, moved through with j and k. A row that has a page is a link, which opens in a
 * new tab like any other; a row that opens beside its list is chosen.
 */
export type Column<Row> = {
  title: string
  cell: (row: Row) => ReactNode
  /** Numbers stand at the right. */
  isNumber?: boolean
  /** Never broken: a word or two that a long neighbour would squeeze. So are numbers. */
  isShort?: boolean
  /** Left out on a phone. */
  isWide?: boolean
  width?: number | string
}

/** The address of the page of a row. */
type RowLink = { to: string; params?: Record<string, string>; search?: Record<string, string> }

/** Rows that are ticked, for what is done to several at once. */
type Ticks<Row> = {
  ids: ReadonlySet<string>
  onChange: (ids: ReadonlySet<string>) => void
  labelAll: string
  labelOf: (row: Row) => string
}

export type RowsProps<Row> = {
  label: string
  rows: readonly Row[] | undefined
  /** Why they do not come. The page tells it; here nothing looks as if they still would. */
  error?: unknown
  columns: readonly Column<Row>[]
  idOf: (row: Row) => string
  chosenId?: string | undefined
  onOpen?: ((row: Row) => void) | undefined
  linkOf?: (row: Row) => RowLink
  ticks?: Ticks<Row> | undefined
  /** For a list that is read again while it is on the screen: a new row does not push down the one under the pointer. */
  isSteady?: boolean
}

const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e', 'f']

export function Rows<Row>(props: RowsProps<Row>) {
  const { label, error = null, columns, idOf, chosenId, onOpen, linkOf, ticks, isSteady = false } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const shown = useRowsInSteps(props.rows)
  const { rows, onLeave } = useSteadyRows(shown, idOf, () => isSteady && body.current?.matches(':hover') === true)
  const move = (step: number) => {
    if (linkOf !== undefined) return moveFocus(body.current, step)
    if (rows === undefined || rows.length === 0 || onOpen === undefined) return
    const now = rows.findIndex((row) => idOf(row) === chosenId)
    const next = rows[Math.min(Math.max(now + step, 0), rows.length - 1)]
    if (next !== undefined) onOpen(next)
  }
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
  ])
  useEffect(() => {
    if (chosenId !== undefined) body.current?.querySelector('[data-chosen]')?.scrollIntoView({ block: 'nearest' })
  }, [chosenId])
  const doing = useRef<Doing<Row>>({ idOf })
  doing.current = {
    idOf,
    onOpen,
    onTick: ticks && ((id) => ticks.onChange(toggled(ticks.ids, id))),
    labelOf: ticks?.labelOf,
  }
  return (
    <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} role="region" aria-label={label}>
      <Table className="rows" aria-label={label}>
        <thead>
          <tr>
            {ticks !== undefined && (
              <th style={{ width: 36 }}>
                <TickAll ticks={ticks} ids={props.rows?.map(idOf) ?? []} />
              </th>
            )}
            {columns.map((column) => (
              <th
                key={column.title}
                data-number={column.isNumber || undefined}
                style={{ width: column.width }}
                className={column.isWide ? 'mantine-visible-from-sm' : undefined}
              >
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} onMouseLeave={onLeave} data-waiting={(rows === undefined && error === null) || undefined}>
          {rows === undefined && error === null ? (
            SKELETON_ROWS.map((key) => <SkeletonRow key={key} columns={columns} hasTick={ticks !== undefined} />)
          ) : (
            <MemoRows
              rows={rows ?? []}
              columns={columns}
              chosenId={chosenId}
              canOpen={onOpen !== undefined}
              linkOf={linkOf}
              tickedIds={ticks?.ids}
              doing={doing}
            />
          )}
        </tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

const linksIn = (body: HTMLElement | null) => [...(body?.querySelectorAll<HTMLElement>('.row-link') ?? [])]

function moveFocus(body: HTMLElement | null, step: number) {
  const links = linksIn(body)
  const now = links.indexOf(document.activeElement as HTMLElement)
  links[Math.min(Math.max(now + step, 0), links.length - 1)]?.focus()
}

/** The link covers its row except for what has a title or a button, and a click on a title counts for the link. */
function followRow(event: MouseEvent<HTMLElement>) {
  if ((event.target as Element).closest('a, button, input, label')) return
  const [link] = linksIn(event.currentTarget) as HTMLAnchorElement[]
  if (link === undefined || event.button > 1) return
  if (event.button === 1 || event.ctrlKey || event.metaKey) window.open(link.href)
  else link.click()
}

function TickAll<Row>({ ticks, ids }: { ticks: Ticks<Row>; ids: readonly string[] }) {
  const count = ids.filter((id) => ticks.ids.has(id)).length
  const isAll = ids.length > 0 && count === ids.length
  return (
    <Checkbox
      size="xs"
      aria-label={ticks.labelAll}
      checked={isAll}
      indeterminate={count > 0 && !isAll}
      onChange={() => ticks.onChange(new Set(isAll ? [] : ids))}
    />
  )
}

const toggled = (ids: ReadonlySet<string>, id: string): ReadonlySet<string> => {
  const others = [...ids].filter((one) => one !== id)
  return new Set(others.length < ids.size ? others : [...ids, id])
}

/** What a row calls, as it is when it is called: a row is not drawn again because a function is another one. */
type Doing<Row> = {
  idOf: (row: Row) => string
  onOpen?: ((row: Row) => void) | undefined
  onTick?: ((id: string) => void) | undefined
  labelOf?: ((row: Row) => string) | undefined
}

type SharedProps<Row> = Pick<RowsProps<Row>, 'columns' | 'linkOf'> & {
  canOpen: boolean
  doing: { readonly current: Doing<Row> }
}

type AllProps<Row> = SharedProps<Row> & {
  rows: readonly Row[]
  chosenId: string | undefined
  /** Where rows can be ticked. */
  tickedIds: ReadonlySet<string> | undefined
}

/** Comparing a thousand rows takes a while, so it is left out while only the state of the next page changes. */
const MemoRows = memo(AllRows) as typeof AllRows

function AllRows<Row>({ rows, chosenId, tickedIds, ...shared }: AllProps<Row>) {
  const drawRow = (row: Row) => {
    const id = shared.doing.current.idOf(row)
    const isTicked = tickedIds?.has(id)
    return <MemoRow key={id} id={id} row={row} isChosen={id === chosenId} isTicked={isTicked} {...shared} />
  }
  return <>{rows.map(drawRow)}</>
}

type RowProps<Row> = SharedProps<Row> & {
  id: string
  row: Row
  isChosen: boolean
  /** Where rows can be ticked. */
  isTicked: boolean | undefined
}

/** A page of rows that is added draws only its own rows, as long as `columns` and `linkOf` stay the same objects. */
const MemoRow = memo(OneRow) as typeof OneRow

function OneRow<Row>(props: RowProps<Row>) {
  const { id, row, columns, isChosen, canOpen, linkOf, isTicked, doing } = props
  // Also shown on a phone, where the others are left out.
  const linked = columns.find(({ isWide }) => !isWide)
  return (
    <tr
      data-clickable={canOpen || linkOf !== undefined || undefined}
      data-chosen={isChosen || undefined}
      tabIndex={canOpen ? 0 : undefined}
      onClick={(event) => (linkOf === undefined ? doing.current.onOpen?.(row) : followRow(event))}
      onAuxClick={linkOf && followRow}
      onKeyDown={(event) =>
        event.key === 'Enter' && event.target === event.currentTarget && doing.current.onOpen?.(row)
      }
    >
      {isTicked !== undefined && (
        <td>
          <input
            type="checkbox"
            aria-label={doing.current.labelOf?.(row)}
            checked={isTicked}
            onChange={() => doing.current.onTick?.(id)}
          />
        </td>
      )}
      {columns.map((column) => (
        <td
          key={column.title}
          data-number={column.isNumber || undefined}
          data-short={column.isNumber || column.isShort || undefined}
          className={column.isWide ? 'mantine-visible-from-sm' : undefined}
        >
          {linkOf !== undefined && column === linked ? (
            <Link {...linkOf(row)} className="row-link">
              {column.cell(row)}
            </Link>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
  )
}

/** While the pointer is on the rows, those it knows keep their order, and new ones stand below them until it leaves. */
function useSteadyRows<Row>(
  rows: readonly Row[] | undefined,
  idOf: (row: Row) => string,
  isPointedAt: () => boolean,
): { rows: readonly Row[] | undefined; onLeave: () => void } {
  const shownIds = useRef<readonly string[]>([])
  const [, onLeave] = useReducer((count: number) => count + 1, 0)
  const places = new Map(shownIds.current.map((id, index) => [id, index]))
  const placeOf = (row: Row) => places.get(idOf(row)) ?? places.size
  const steady = isPointedAt() ? rows?.toSorted((one, other) => placeOf(one) - placeOf(other)) : rows
  shownIds.current = steady?.map(idOf) ?? []
  return { rows: steady, onLeave }
}

function SkeletonRow<Row>({ columns, hasTick }: { columns: readonly Column<Row>[]; hasTick: boolean }) {
  return (
    <tr>
      {hasTick && <td />}
      {columns.map((column) => (
        <td key={column.title} className={column.isWide ? 'mantine-visible-from-sm' : undefined}>
          <Skeleton height={12} />
        </td>
      ))}
    </tr>
  )
}
