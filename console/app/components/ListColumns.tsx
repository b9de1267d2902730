import type { ReactNode } from 'react'
import { type Say, useSay } from '../text/text.tsx'
import { Money } from '../ui/Money.tsx'
import type { Column } from '../ui/Rows.tsx'
import { Time } from '../ui/Time.tsx'

/** When a row was created, on screens that have room for it. */
export const createdColumn = <Row extends { created_at: string }>(say: Say): Column<Row> => ({
  title: say('list.created'),
  cell: ({ created_at }) => <Time at={created_at} />,
  isNumber: true,
  isWide: true,
})

export const useCreatedColumn = <Row extends { created_at: string }>(): Column<Row> => createdColumn(useSay())

/** The state of a row, and on a phone the amount below it, whose column is left out there. */
export const stateColumn = <Row,>(
  say: Say,
  stateOf: (row: Row) => ReactNode,
  amountOf: (row: Row) => number | null,
): Column<Row> => ({
  title: say('list.state'),
  cell: (row) => (
    <>
      {stateOf(row)}
      <div className="mantine-hidden-from-sm">
        <Money amount={amountOf(row)} />
      </div>
    </>
  ),
})

export const useStateColumn = <Row,>(
  stateOf: (row: Row) => ReactNode,
  amountOf: (row: Row) => number | null,
): Column<Row> => stateColumn(useSay(), stateOf, amountOf)
