import { Group, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Settlement } from '../api/books.ts'
import type { RowOf } from '../api/client.ts'
import { importSettlements } from '../api/csv.ts'
import { orderQueryOf } from '../api/order-filters.ts'
import { type Payment, paymentMethods, type Refund } from '../api/orders.ts'
import { usePages } from '../api/pages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { type Say, useSay, useText } from '../text/text.tsx'
import { channelName, connectorName } from '../ui/brands.ts'
import { type Filter, type FilteredProps, Filters, type FilterValues } from '../ui/Filters.tsx'
import { EmptyMessage, ProblemMessage } from '../ui/Message.tsx'
import { Money } from '../ui/Money.tsx'
import { MoreRows } from '../ui/MoreRows.tsx'
import { type Column, Rows } from '../ui/Rows.tsx'
import { State } from '../ui/State.tsx'
import { dayText, Time } from '../ui/Time.tsx'
import { ExportButton, useCsvImport } from './CsvButtons.tsx'
import { createdColumn, stateColumn } from './ListColumns.tsx'
import { NewRows } from './NewRows.tsx'
import { AttemptState } from './OrderStates.tsx'

const PAYMENT_STATES = ['created', 'pending', 'paid', 'failed', 'expired', 'cancelled', 'reversed'] as const
const REFUND_STATES = ['requested', 'pending', 'succeeded', 'failed'] as const

const ofOrder = ({ order_id: id }: { order_id: string }) => ({ to: '/orders/$id', params: { id } })
const isFiltered = (filters: FilterValues) => Object.values(filters).some((value) => value !== undefined)

/** From one day to another, and as a file. */
function Tools(
  props: FilteredProps & { path: string; name: string; list: readonly Filter[]; children?: React.ReactNode },
) {
  const say = useSay()
  const days: Filter[] = [
    { name: 'from', label: say('books.from'), kind: 'date', width: 220 },
    { name: 'to', label: say('books.to'), kind: 'date', width: 220 },
  ]
  return (
    <Group justify="space-between" align="flex-start" gap="sm">
      <Filters values={props.filters} onChange={props.onFilter} filters={[...props.list, ...days]} />
      <Group gap="sm" mb="sm">
        {props.children}
        <ExportButton path={props.path} query={orderQueryOf(props.filters)} name={props.name} />
      </Group>
    </Group>
  )
}

type BookPath = '/api/proxy/payments' | '/api/proxy/refunds' | '/api/proxy/settlements'

/** The rows, or what to expect here. */
function Book<Path extends BookPath>(props: {
  path: Path
  label: string
  columns: readonly Column<RowOf<Path>>[]
  filters: FilterValues
  empty: string
  /** The events that change rows; without them the list is read again when the window gets the focus. */
  types?: RegExp
}) {
  const say = useSay()
  const { path, filters, types } = props
  const pages = usePages(path, orderQueryOf(filters), { isReadOnFocus: types === undefined })
  return (
    <>
      {types !== undefined && <NewRows<RowOf<Path>> kind="event" types={types} pages={pages} />}
      <ProblemMessage error={pages.error} onRetry={() => pages.refetch()} />
      <Rows
        label={props.label}
        rows={pages.items}
        error={pages.error}
        idOf={({ id }) => id}
        linkOf={ofOrder}
        columns={props.columns}
      />
      {pages.items?.length === 0 &&
        (isFiltered(filters) ? (
          <EmptyMessage title={say('list.noMatch')} />
        ) : (
          <EmptyMessage picture="books" guide="close-the-day" title={say('books.empty')} detail={props.empty} />
        ))}
      <MoreRows pages={pages} />
    </>
  )
}

type WithMethod = { method: Payment['method']; channel: string | null }

/** With what it was paid, and on a phone the day below it. */
function methodColumn<Row extends WithMethod>(say: Say, atOf: (row: Row) => string | null): Column<Row> {
  return {
    title: say('books.method'),
    cell: (row) => (
      <>
        {say(`method.${row.method}`)}
        {row.channel !== null && ` · ${channelName(row.channel)}`}
        <div className="row-note mantine-hidden-from-sm">
          <Time at={atOf(row)} />
        </div>
      </>
    ),
  }
}

const useMethodFilter = (): Filter => {
  const say = useSay()
  return {
    name: 'method',
    label: say('books.method'),
    kind: 'choice',
    choices: paymentMethods.map((value) => ({ value, label: say(`method.${value}`) })),
    width: 160,
  }
}

const useStateFilter = (choices: { value: string; label: string }[]): Filter => {
  const say = useSay()
  return { name: 'status', label: say('list.state'), kind: 'choice', choices, width: 160 }
}

const paymentColumns = (say: Say): Column<Payment>[] => [
  methodColumn(say, ({ created_at }) => created_at),
  { title: say('books.provider'), cell: ({ provider }) => connectorName(provider), isShort: true, isWide: true },
  stateColumn(
    say,
    ({ status }) => <AttemptState status={status} />,
    ({ status, amount_paid, amount }) => (status === 'paid' ? amount_paid : amount),
  ),
  { title: say('books.amount'), cell: ({ amount }) => <Money amount={amount} />, isNumber: true, isWide: true },
  {
    title: say('books.received'),
    cell: ({ amount_paid }) => <Money amount={amount_paid} />,
    isNumber: true,
    isWide: true,
  },
  createdColumn(say),
]

export function PaymentBook({ filters, onFilter }: FilteredProps) {
  const say = useSay()
  const columns = useMemo(() => paymentColumns(say), [say])
  const states = useStateFilter(PAYMENT_STATES.map((value) => ({ value, label: say(`payment.status.${value}`) })))
  return (
    <>
      <Tools
        path="/api/proxy/payments"
        name="payments.csv"
        filters={filters}
        onFilter={onFilter}
        list={[states, useMethodFilter()]}
      />
      <Book
        path="/api/proxy/payments"
        types={/^payment\./}
        label={say('books.payments')}
        filters={filters}
        empty={say('books.emptyPayments')}
        columns={columns}
      />
    </>
  )
}

const refundColumns = (say: Say): Column<Refund>[] => [
  {
    title: say('books.reason'),
    cell: ({ reason, manual, created_at }) => (
      <>
        <Text size="sm" truncate className="row-name">
          {reason ?? say('books.noReason')}
        </Text>
        <Text size="xs" className="quiet" visibleFrom="sm">
          {say(manual ? 'books.byHand' : 'books.byProvider')}
        </Text>
        <Text size="xs" className="quiet" hiddenFrom="sm" component="div">
          <Time at={created_at} />
        </Text>
      </>
    ),
  },
  {
    title: say('list.state'),
    cell: ({ status }) => <State state={status} word={say(`refund.status.${status}`)} />,
    isShort: true,
  },
  { title: say('books.amount'), cell: ({ amount }) => <Money amount={amount} />, isNumber: true },
  createdColumn(say),
]

export function RefundBook({ filters, onFilter }: FilteredProps) {
  const say = useSay()
  const columns = useMemo(() => refundColumns(say), [say])
  const states = useStateFilter(REFUND_STATES.map((value) => ({ value, label: say(`refund.status.${value}`) })))
  return (
    <>
      <Tools path="/api/proxy/refunds" name="refunds.csv" filters={filters} onFilter={onFilter} list={[states]} />
      <Book
        path="/api/proxy/refunds"
        types={/^(refund|payment)\./}
        label={say('books.refunds')}
        filters={filters}
        empty={say('books.emptyRefunds')}
        columns={columns}
      />
    </>
  )
}

export function SettlementBook({ filters, onFilter }: FilteredProps) {
  const { say, language } = useText()
  const { data: session } = useQuery(sessionQuery)
  const queries = useQueryClient()
  const method = methodColumn<Settlement>(say, ({ paid_at }) => paid_at)
  const states = useStateFilter(
    (['reported', 'unreported'] as const).map((value) => ({ value, label: say(`books.${value}`) })),
  )
  const reading = useCsvImport({
    label: say('books.importSettlements'),
    read: importSettlements,
    summary: ({ recorded, unchanged, failed }) => say('books.settlementsImported', { recorded, unchanged, failed }),
    onDone: () => void queries.invalidateQueries({ queryKey: ['list', '/api/proxy/settlements'] }),
  })
  return (
    <>
      <Text size="sm" className="quiet" mb="sm" maw={720}>
        {say('books.settlementHelp')}
      </Text>
      <Tools path="/api/proxy/settlements" name="settlements.csv" filters={filters} onFilter={onFilter} list={[states]}>
        {may(session, 'orders:write') && reading.button}
      </Tools>
      {reading.report}
      <Book
        path="/api/proxy/settlements"
        label={say('books.settlements')}
        filters={filters}
        empty={say('books.emptySettlements')}
        columns={[
          method,
          {
            title: say('books.provider'),
            cell: ({ provider }) => connectorName(provider),
            isShort: true,
            isWide: true,
          },
          { title: say('books.amount'), cell: ({ amount }) => <Money amount={amount} />, isNumber: true, isWide: true },
          { title: say('books.fee'), cell: (row) => <Fee row={row} />, isNumber: true, isWide: true },
          {
            title: say('books.net'),
            cell: (row) => (
              <>
                <Money amount={row.net} />
                <Text size="xs" className="quiet" hiddenFrom="sm" component="div">
                  {say('books.fee')} <Fee row={row} />
                </Text>
              </>
            ),
            isNumber: true,
          },
          {
            title: say('books.settledOn'),
            cell: ({ settled_on }) => <span className="figures">{dayText(settled_on, language)}</span>,
            isNumber: true,
            isWide: true,
          },
        ]}
      />
    </>
  )
}

function Fee({ row }: { row: Settlement }) {
  const say = useSay()
  if (row.fee === null) return <span className="quiet">{say('books.unreported')}</span>
  return (
    <>
      <Money amount={row.fee} />
      {row.difference !== null && row.difference !== 0 && (
        <Text size="xs" style={{ color: 'var(--waiting)' }} component="div">
          {say('books.difference')} <Money amount={row.difference} />
        </Text>
      )}
    </>
  )
}
