import { Button, Group } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import {
  cancelOrder,
  completeOrder,
  deliverOrder,
  type OrderWithPayments,
  orderCan,
  orderQuery,
  processOrder,
} from '../api/orders.ts'
import { EditOrderForm } from '../forms/EditOrderForm.tsx'
import { AnotherWayForm, MarkPaidForm, PaidAgainForm, payKeyOf } from '../forms/OrderPaymentForms.tsx'
import { RefundForm } from '../forms/RefundForm.tsx'
import { ShipOrderForm } from '../forms/ShipOrderForm.tsx'
import { type Say, useSay } from '../text/text.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { FormModal } from '../ui/form-guard.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { rupiah } from '../ui/Money.tsx'

type Act = 'edit' | 'ship' | 'deliver' | 'process' | 'complete' | 'pay' | 'markPaid' | 'paidAgain' | 'refund' | 'cancel'

const ACTS = [
  'markPaid',
  'process',
  'ship',
  'deliver',
  'complete',
  'pay',
  'paidAgain',
  'edit',
  'refund',
  'cancel',
] as const

/** What usually comes next; the others are for when it does not. */
const LEADING: readonly Act[] = ['markPaid', 'process', 'complete']
const isLeading = (order: OrderWithPayments, act: Act) =>
  LEADING.includes(act) || (act === 'pay' && order.payments.length === 0)

export type OnAct = (act: string | null) => void

/** What the state permits. What cannot be undone says its consequence first. The address of the page says which dialog is open. */
export function OrderActs(props: { order: OrderWithPayments; chosen: string | undefined; onChoose: OnAct }) {
  const say = useSay()
  const queries = useQueryClient()
  const { order, onChoose: setAct } = props
  const acts = ACTS.filter((name) => orderCan[name](order))
  const act = acts.find((name) => name === props.chosen) ?? null
  const close = () => setAct(null)
  const done = (after?: OrderWithPayments) => {
    close()
    if (after === undefined) queries.invalidateQueries({ queryKey: ['order', order.id] })
    else queries.setQueryData(orderQuery(order.id).queryKey, after)
    queries.invalidateQueries({ queryKey: ['order-events', order.id] })
    queries.invalidateQueries({ queryKey: ['list', '/api/proxy/orders'] })
  }
  const process = useMutation({ mutationFn: () => processOrder(order.id), onSuccess: done })
  if (acts.length === 0) return null
  return (
    <>
      <Group gap="sm">
        {acts.map((name, index) => (
          <Button
            key={name}
            size="sm"
            variant={name === 'cancel' ? 'subtle' : index === 0 && isLeading(order, name) ? 'filled' : 'default'}
            {...(name === 'cancel' && { color: 'red' })}
            loading={name === 'process' && process.isPending}
            onClick={() => (name === 'process' ? process.mutate() : setAct(name))}
          >
            {say(name === 'pay' ? payKeyOf(order) : `order.act.${name}`)}
          </Button>
        ))}
      </Group>
      <ProblemMessage error={process.error} />
      <Sure order={order} act={act} onDone={done} onClose={close} />
      <FormDialog title={say('order.edit', { number: order.number })} isOpen={act === 'edit'} onClose={close}>
        <EditOrderForm order={order} onDone={done} />
      </FormDialog>
      <FormDialog title={say('order.act.ship')} isOpen={act === 'ship'} onClose={close}>
        <ShipOrderForm order={order} onDone={done} />
      </FormDialog>
      <FormDialog title={say(payKeyOf(order))} isOpen={act === 'pay'} onClose={close}>
        <AnotherWayForm order={order} onDone={done} />
      </FormDialog>
      <FormDialog title={say('order.act.markPaid')} isOpen={act === 'markPaid'} onClose={close}>
        <MarkPaidForm order={order} onDone={done} />
      </FormDialog>
      <FormDialog title={say('order.act.paidAgain')} isOpen={act === 'paidAgain'} onClose={close}>
        <PaidAgainForm order={order} onDone={done} />
      </FormDialog>
      <FormDialog title={say('order.act.refund')} isOpen={act === 'refund'} onClose={close}>
        <RefundForm order={order} onDone={() => done()} />
      </FormDialog>
    </>
  )
}

function FormDialog(props: { title: string; isOpen: boolean; onClose: () => void; children: React.ReactNode }) {
  return (
    <FormModal opened={props.isOpen} onClose={props.onClose} title={props.title}>
      {props.children}
    </FormModal>
  )
}

const calls = { complete: completeOrder, cancel: cancelOrder, deliver: deliverOrder }
type Plain = keyof typeof calls
const isPlain = (act: Act | null): act is Plain => act !== null && act in calls

/** Acts that need no more than a yes. */
function Sure(props: {
  order: OrderWithPayments
  act: Act | null
  onDone: (after: OrderWithPayments) => void
  onClose: () => void
}) {
  const say = useSay()
  const { order, act } = props
  const doing = useMutation({
    mutationFn: (name: Plain) => calls[name](order.id),
    onSuccess: props.onDone,
  })
  const close = () => {
    doing.reset()
    props.onClose()
  }
  const name: Plain = isPlain(act) ? act : 'complete'
  return (
    <Confirm
      isOpen={isPlain(act)}
      title={say(`order.sure.${name}`, { number: order.number })}
      consequence={name === 'cancel' ? consequenceOf(order, say) : say(`order.consequence.${name}`)}
      act={say(`order.act.${name}`)}
      isHarmless={name !== 'cancel'}
      isPending={doing.isPending}
      error={doing.error}
      onConfirm={() => doing.mutate(name)}
      onClose={close}
    />
  )
}

/** Cancelling an order with payments refunds them, which the person must know before. */
const consequenceOf = ({ amount_paid, amount_returned }: OrderWithPayments, say: Say) => {
  const kept = amount_paid - amount_returned
  const base = say('order.consequence.cancel')
  return kept > 0 ? `${base} ${say('order.consequence.cancelPaid', { amount: rupiah(kept) })}` : base
}
