import { SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { waitingQuery } from '../api/approvals.ts'
import {
  byDay,
  countedText,
  daysOf,
  type Range,
  type Statistics,
  salesQuery,
  statisticsQuery,
  unpaidQuery,
  unreadQuery,
} from '../api/home.ts'
import { may, type Right, sessionQuery } from '../api/session.ts'
import { useText } from '../text/text.tsx'
import { rupiah } from '../ui/Money.tsx'
import { localeOf } from '../ui/Time.tsx'

/** How the day goes: money and failures of the period against the one before it, and what waits for a person now. */
export function HomeNumbers({ range }: { range: Range }) {
  const { say } = useText()
  const { data: session } = useQuery(sessionQuery)
  const has = (right: Right) => may(session, right)
  const sales = useQuery({ ...salesQuery(range), enabled: has('orders:read') })
  const unpaid = useQuery({ ...unpaidQuery, enabled: has('orders:read') })
  const unread = useQuery({ ...unreadQuery, enabled: has('chats:read') })
  const waiting = useQuery({ ...waitingQuery, enabled: has('approvals:decide') })
  // By day and of a month, which has the period before a week as well.
  const { data: month } = useQuery(statisticsQuery('30d'))
  const days = daysOf[range]
  const failed = compared(month?.deliveries?.buckets, days, (bucket) => bucket.failed)
  const errors = compared(
    month?.requests?.buckets,
    days,
    ({ client_error, server_error }) => client_error + server_error,
  )
  const net = sales.data && compared(byDay(sales.data.periods, 2 * days), days, (day) => day.net)
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
      {net !== undefined && (
        <Metric to="/books" name={say(`home.net.${range}`)} value={net} format={rupiah} range={range} />
      )}
      {unpaid.data && (
        <Count
          to="/orders"
          search={{ status: 'pending_payment' }}
          name={say('home.unpaid')}
          text={countedText(unpaid.data)}
        />
      )}
      {unread.data && (
        <Count to="/chats" search={{ unread: 'true' }} name={say('home.unread')} text={countedText(unread.data)} />
      )}
      {waiting.data && <Count to="/approvals" name={say('home.approvals')} text={countedText(waiting.data)} />}
      {failed !== undefined && has('webhooks:read') && (
        <Metric
          to="/deliveries"
          search={{ status: 'failed' }}
          name={say('home.failed')}
          value={failed}
          range={range}
          isBad
        />
      )}
      {errors !== undefined && has('logs:read') && (
        <Metric to="/logs" name={say('home.errors')} value={errors} range={range} isBad />
      )}
    </SimpleGrid>
  )
}

type Compared = { now: number; before: number | null }

/** The last days, and as many before them; null where the statistics do not reach back so far. */
function compared<Day>(
  all: readonly Day[] | undefined,
  days: number,
  read: (day: Day) => number,
): Compared | undefined {
  if (all === undefined) return undefined
  const sum = (some: readonly Day[]) => some.reduce((total, day) => total + read(day), 0)
  const hasBefore = all.length >= 2 * days
  return { now: sum(all.slice(-days)), before: hasBefore ? sum(all.slice(-2 * days, -days)) : null }
}

type CardProps = { to: string; search?: Record<string, string>; name: string }

const Count = ({ to, search, name, text }: CardProps & { text: string }) => (
  <Link to={to} {...(search && { search })} className="number-card">
    <span className="quiet">{name}</span>
    <strong className="figures">{text}</strong>
  </Link>
)

function Metric(
  props: CardProps & {
    value: Compared
    format?: (value: number) => string
    range: Statistics['range']
    isBad?: boolean
  },
) {
  const { say, language } = useText()
  const number = new Intl.NumberFormat(localeOf(language))
  const { to, search, name, value, format = number.format, range, isBad = false } = props
  return (
    <Link to={to} {...(search && { search })} className="number-card">
      <span className="quiet">{name}</span>
      <strong className="figures" style={isBad && value.now > 0 ? { color: 'var(--bad)' } : undefined}>
        {format(value.now)}
      </strong>
      {value.before !== null && (
        <Text size="xs" className="quiet figures" component="span">
          {say(`home.before.${range}`, { value: format(value.before) })}
        </Text>
      )}
    </Link>
  )
}
