import { Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { type ReportSpan, type SalesReport, salesReportQuery } from '../api/books.ts'
import { useSay, useText } from '../text/text.tsx'
import { type FilteredProps, Filters } from '../ui/Filters.tsx'
import { EmptyMessage, Waiting } from '../ui/Message.tsx'
import { Money } from '../ui/Money.tsx'
import { Figure } from '../ui/Page.tsx'
import { Rows } from '../ui/Rows.tsx'
import { dayText, localeOf, once, SHOP_ZONE } from '../ui/Time.tsx'
import { ExportButton } from './CsvButtons.tsx'

const DAY = /^\d{4}-\d{2}-\d{2}$/
const dayFormat = new Intl.DateTimeFormat('en-CA', { timeZone: SHOP_ZONE })

/** This month by day, until another span is chosen. */
function spanOf({ from, to, by }: FilteredProps['filters']): ReportSpan {
  const today = dayFormat.format(new Date())
  return {
    from: from !== undefined && DAY.test(from) ? from : `${today.slice(0, 8)}01`,
    to: to !== undefined && DAY.test(to) ? to : today,
    by: by === 'month' ? 'month' : 'day',
  }
}

const monthWords = once(
  (language) => new Intl.DateTimeFormat(localeOf(language), { month: 'long', year: 'numeric', timeZone: 'UTC' }),
)

/** What was received and returned per day or month, with totals. The same sums as the CSV. */
export function SalesReportView({ filters, onFilter }: FilteredProps) {
  const say = useSay()
  const span = spanOf(filters)
  const report = useQuery(salesReportQuery(span))
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Group gap="sm" align="flex-start">
          <SegmentedControl
            aria-label={say('books.by')}
            data={[
              { value: 'day', label: say('books.byDay') },
              { value: 'month', label: say('books.byMonth') },
            ]}
            value={span.by}
            onChange={(by) => onFilter({ ...filters, by })}
          />
          <Filters
            values={{ ...filters, from: span.from, to: span.to }}
            onChange={({ from, to }) => onFilter({ ...filters, from, to })}
            filters={[
              { name: 'from', label: say('books.from'), kind: 'date', width: 220 },
              { name: 'to', label: say('books.to'), kind: 'date', width: 220 },
            ]}
          />
        </Group>
        <ExportButton path="/api/proxy/reports/sales" query={span} name={`sales-${span.from}-${span.to}.csv`} />
      </Group>
      {report.data === undefined ? (
        <Waiting error={report.error} onRetry={() => report.refetch()} />
      ) : (
        <Sums report={report.data} />
      )}
    </Stack>
  )
}

function Sums({ report }: { report: SalesReport }) {
  const say = useSay()
  const { language } = useText()
  const { totals, periods, by } = report
  const nameOf = (period: string) =>
    by === 'month' ? monthWords(language).format(new Date(`${period}T00:00:00Z`)) : dayText(period, language)
  if (periods.length === 0)
    return (
      <EmptyMessage
        picture="books"
        guide="close-the-day"
        title={say('books.noSales')}
        detail={say('books.noSalesHelp')}
      />
    )
  return (
    <>
      <Group gap="xl">
        <Figure name={say('books.received')}>
          <Money amount={totals.received} />
        </Figure>
        <Figure name={say('books.refunded')}>
          <Money amount={totals.refunded} />
        </Figure>
        {totals.reversed > 0 && (
          <Figure name={say('books.reversed')}>
            <Money amount={totals.reversed} />
          </Figure>
        )}
        <Figure name={say('books.netSales')}>
          <Money amount={totals.net} />
        </Figure>
        <Figure name={say('books.count')}>{totals.payments}</Figure>
      </Group>
      <Text size="sm" className="quiet">
        {say('books.reportHelp', { zone: report.timezone })}
      </Text>
      <Rows
        label={say('books.report')}
        rows={periods.toReversed()}
        idOf={({ period }) => period}
        columns={[
          {
            title: say(by === 'month' ? 'books.month' : 'books.day'),
            cell: ({ period, methods }) => (
              <>
                <Text size="sm">{nameOf(period)}</Text>
                <Text size="xs" className="quiet">
                  {methods.map(({ method, net }, index) => (
                    <Fragment key={method}>
                      {index > 0 && ' · '}
                      {say(`method.${method}`)} <Money amount={net} />
                    </Fragment>
                  ))}
                </Text>
              </>
            ),
          },
          {
            title: say('books.count'),
            cell: ({ payments }) => <span className="figures">{payments}</span>,
            isNumber: true,
            isWide: true,
          },
          {
            title: say('books.received'),
            cell: ({ received }) => <Money amount={received} />,
            isNumber: true,
            isWide: true,
          },
          {
            title: say('books.refunded'),
            cell: ({ refunded, reversed }) => <Money amount={refunded + reversed} />,
            isNumber: true,
            isWide: true,
          },
          { title: say('books.netSales'), cell: ({ net }) => <Money amount={net} />, isNumber: true },
        ]}
      />
    </>
  )
}
