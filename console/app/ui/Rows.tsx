import { Skeleton, Table } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { type ReactNode, useEffect, useReducer, useRef } from 'react'

/** A table that never lies: rows as they are, one of them chosen, moved through with j and k, opened with Enter. */
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

export type RowsProps<Row> = {
  label: string
  rows: readonly Row[] | undefined
  /** Why they do not come. The page tells it; here nothing looks as if they still would. */
  error?: unknown
  columns: readonly Column<Row>[]
  idOf: (row: Row) => string
  chosenId?: string | undefined
  onOpen?: ((row: Row) => void) | undefined
  /** For a list that is read again while it is on the screen: a new row does not push down the one under the pointer. */
  isSteady?: boolean
}

const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e', 'f']

export function Rows<Row>(props: RowsProps<Row>) {
  const { label, error = null, columns, idOf, chosenId, onOpen, isSteady = false } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const { rows, onLeave } = useSteadyRows(props.rows, idOf, () => isSteady && body.current?.matches(':hover') === true)
  const move = (step: number) => {
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
  return (
    <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} role="region" aria-label={label}>
      <Table className="rows" aria-label={label} highlightOnHover={onOpen !== undefined}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th
                key={column.title}
                ta={column.isNumber ? 'right' : 'left'}
                w={column.width}
                visibleFrom={column.isWide ? 'sm' : undefined}
              >
                {column.title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody ref={body} onMouseLeave={onLeave}>
          {rows === undefined && error === null
            ? SKELETON_ROWS.map((key) => <SkeletonRow key={key} columns={columns} />)
            : rows?.map((row) => (
                <Table.Tr
                  key={idOf(row)}
                  data-clickable={onOpen !== undefined || undefined}
                  data-chosen={(chosenId !== undefined && idOf(row) === chosenId) || undefined}
                  tabIndex={onOpen === undefined ? undefined : 0}
                  onClick={() => onOpen?.(row)}
                  onKeyDown={(event) => event.key === 'Enter' && event.target === event.currentTarget && onOpen?.(row)}
                >
                  {columns.map((column) => (
                    <Table.Td
                      key={column.title}
                      ta={column.isNumber ? 'right' : 'left'}
                      data-short={column.isNumber || column.isShort || undefined}
                      visibleFrom={column.isWide ? 'sm' : undefined}
                    >
                      {column.cell(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
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

function SkeletonRow<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return (
    <Table.Tr>
      {columns.map((column) => (
        <Table.Td key={column.title} visibleFrom={column.isWide ? 'sm' : undefined}>
          <Skeleton height={12} my={4} />
        </Table.Td>
      ))}
    </Table.Tr>
  )
}
