import type { AttemptStatus, OrderStatus } from '../api/orders.ts'
import { isTextKey, useSay } from '../text/text.tsx'
import { State } from '../ui/State.tsx'

export const OrderState = ({ status }: { status: OrderStatus }) => {
  const say = useSay()
  return <State state={status} word={say(`order.status.${status}`)} />
}

/** A chat carries the status of its order as a plain text. */
export const PaymentState = ({ status }: { status: string }) => {
  const say = useSay()
  const key = `payment.of.${status}`
  return <State state={status} word={isTextKey(key) ? say(key) : status} />
}

export const AttemptState = ({ status }: { status: AttemptStatus }) => {
  const say = useSay()
  return <State state={status} word={say(`payment.status.${status}`)} />
}
