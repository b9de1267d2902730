import {
  type AttemptStatus,
  type OrderStatus,
  orderStatuses,
  type PaymentStatus,
  paymentStatuses,
} from '../api/orders.ts'
import { useSay } from '../text/text.tsx'
import { State } from '../ui/State.tsx'

export const OrderState = ({ status }: { status: OrderStatus }) => {
  const say = useSay()
  return <State state={status} word={orderStatuses.includes(status) ? say(`order.status.${status}`) : status} />
}

/** The server may know more words than this page. */
export const PaymentState = ({ status }: { status: string }) => {
  const say = useSay()
  const isKnown = paymentStatuses.includes(status as PaymentStatus)
  return <State state={status} word={isKnown ? say(`payment.of.${status as PaymentStatus}`) : status} />
}

export const AttemptState = ({ status }: { status: AttemptStatus }) => {
  const say = useSay()
  return <State state={status} word={say(`payment.status.${status}`)} />
}
