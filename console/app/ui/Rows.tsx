import { Skeleton, Table } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { type ReactNode, useEffect, useRef } from 'react'

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
}

const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e', 'f']

export function Rows<Row>({ label, rows, error = null, columns, idOf, chosenId, onOpen }: RowsProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null)
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
        <Table.Tbody ref={body}>
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
