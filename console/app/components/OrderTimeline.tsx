import { Text, Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client.ts'
import type { OrderWithPayments } from '../api/orders.ts'
import type { EventRecord } from '../api/webhooks.ts'
import { isTextKey, type Say, useText } from '../text/text.tsx'
import { LinkText } from '../ui/Links.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { rupiah } from '../ui/Money.tsx'
import { exactTime } from '../ui/Time.tsx'
import { useActorName } from './actor-names.ts'

const EVENTS_MAX = 100

/** What happened to the order and to each of its attempts, by whom, oldest first; each line leads to its event. */
export function OrderTimeline({ order }: { order: OrderWithPayments }) {
  const { say, language } = useText()
  const actorName = useActorName()
  const subjects = [order.id, ...order.payments.map(({ id }) => id)]
  const events = useQuery({
    queryKey: ['order-events', order.id, subjects],
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(
        subjects.map((subject) => call('GET /api/proxy/events', { query: { subject, limit: EVENTS_MAX }, signal })),
      )
      return lists.flatMap(({ data }) => data).sort((one, other) => (one.sequence ?? 0) - (other.sequence ?? 0))
    },
  })
  if (events.data === undefined) return <ProblemMessage error={events.error} onRetry={() => events.refetch()} />
  return (
    <Timeline bulletSize={10} lineWidth={1} active={events.data.length}>
      {events.data.map((event) => (
        <Timeline.Item key={event.id}>
          <LinkText to="/events" search={{ open: event.id }} size="sm">
            {titleOf(event.type, say)}
          </LinkText>
          <Text size="xs" className="quiet figures">
            {exactTime(event.created_at, language)} · {actorName(event.actor)}
            {moneyOf(event)} ·{' '}
            <LinkText to="/deliveries" search={{ event: event.id }} inherit underline="always">
              {say('nav.deliveries')}
            </LinkText>
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  )
}

/** An event type that this page does not know is shown by its name. */
function titleOf(type: string, say: Say): string {
  const key = `timeline.${type}`
  return isTextKey(key) ? say(key) : type
}

function moneyOf(event: EventRecord): string {
  const amount = moneyIn(event)
  return amount === null ? '' : ` · ${rupiah(amount)}`
}

/** The amount that an event of a payment adds to what was received before. Null when the event has no amount. */
export function moneyIn({ type, data, previous }: Pick<EventRecord, 'type' | 'data' | 'previous'>): number | null {
  if (type !== 'payment.paid' || typeof data.amount_paid !== 'number') return null
  return data.amount_paid - (typeof previous?.amount_paid === 'number' ? previous.amount_paid : 0)
}
