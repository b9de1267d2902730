import { Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactElement, useMemo, useState } from 'react'
import { type Order, orderCan, orderReceipt } from '../api/orders.ts'
import { type Say, useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'
import { LinkMenuItem } from '../ui/MenuLink.tsx'
import { Money } from '../ui/Money.tsx'
import { type Column, Rows } from '../ui/Rows.tsx'
import { Time } from '../ui/Time.tsx'
import { OrderState, PaymentState } from './OrderStates.tsx'

const linkOf = ({ id }: Order) => ({ to: '/orders/$id', params: { id } })

/** The list of orders; on a phone in two lines, so that the money is never out of sight. */
export function OrderRows(props: {
  orders: Order[] | undefined
  error: unknown
  /** Where the person may change orders. */
  ticked?: ReadonlySet<string>
  onTicked?: (ids: ReadonlySet<string>) => void
}) {
  const say = useSay()
  const { ticked, onTicked } = props
  const mayWrite = ticked !== undefined && onTicked !== undefined
  const columns = useMemo(() => columnsOf(say, mayWrite), [say, mayWrite])
  return (
    <Rows
      label={say('nav.orders')}
      rows={props.orders}
      error={props.error}
      idOf={(order) => order.id}
      linkOf={linkOf}
      ticks={
        mayWrite
          ? {
              ids: ticked,
              onChange: onTicked,
              labelAll: say('orders.tickAll'),
              labelOf: ({ number }) => say('orders.tick', { number }),
            }
          : undefined
      }
      columns={columns}
    />
  )
}

const columnsOf = (say: Say, mayWrite: boolean): Column<Order>[] => [
  { title: '#', cell: ({ number }) => <span className="figures">{number}</span>, width: 70, isWide: true },
  {
    title: say('orders.customer'),
    cell: ({ customer, reference, number }) => (
      <>
        <div className="row-name cut">{customer.name ?? customer.phone ?? '—'}</div>
        <div className="row-note figures mantine-hidden-from-sm">#{number}</div>
        <div className="row-note row-name cut mantine-visible-from-sm">
          {[customer.name === null ? null : customer.phone, reference].filter(Boolean).join(' · ')}
        </div>
      </>
    ),
  },
  {
    title: say('list.state'),
    cell: ({ status, needs_review }) =>
      needs_review === null ? (
        <OrderState status={status} />
      ) : (
        <>
          <OrderState status={status} />
          <div className="row-note waits">{say('orders.needsReview')}</div>
        </>
      ),
    isWide: true,
  },
  {
    title: say('orders.payment'),
    cell: ({ payment_status, total }) => (
      <>
        <PaymentState status={payment_status} />
        <div className="mantine-hidden-from-sm">
          <Total total={total} />
        </div>
      </>
    ),
  },
  { title: say('orders.total'), cell: ({ total }) => <Total total={total} />, isNumber: true, isWide: true },
  {
    title: say('list.created'),
    cell: ({ created_at }) => <Time at={created_at} />,
    isNumber: true,
    isWide: true,
  },
  ...(mayWrite
    ? [
        {
          title: say('orders.acts'),
          cell: (order: Order) => <RowActs order={order} />,
          isNumber: true,
          isWide: true,
        },
      ]
    : []),
]

const ROW_ACTS = ['markPaid', 'process', 'ship', 'deliver', 'complete', 'refund', 'edit', 'cancel'] as const

/** The receipt, and what leads to the order with the dialog open. A menu is as much work as the other cells together, so it is built when it is wanted. */
function RowActs({ order }: { order: Order }) {
  const say = useSay()
  const [isWanted, setWanted] = useState(false)
  const button = (
    <button
      type="button"
      className="row-act"
      aria-haspopup="menu"
      aria-label={say('orders.actions', { number: order.number })}
      onClick={() => setWanted(true)}
    >
      <Icon name="more" />
    </button>
  )
  return isWanted ? <ActsMenu order={order} button={button} /> : button
}

function ActsMenu({ order, button }: { order: Order; button: ReactElement }) {
  const say = useSay()
  const receipt = useMutation({
    mutationFn: () => orderReceipt(order.id),
    onSuccess: ({ url }) => window.open(url, '_blank', 'noopener'),
  })
  return (
    <Menu position="bottom-end" width={200} defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {order.amount_paid > 0 && <Menu.Item onClick={() => receipt.mutate()}>{say('order.receipt')}</Menu.Item>}
        {ROW_ACTS.filter((act) => orderCan[act](order)).map((act) => (
          <LinkMenuItem
            key={act}
            to="/orders/$id"
            params={{ id: order.id }}
            search={{ act }}
            {...(act === 'cancel' && { color: 'red' })}
          >
            {say(`order.act.${act}`)}
          </LinkMenuItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function Total({ total }: { total: number | null }) {
  const say = useSay()
  return total === null ? <span className="quiet">{say('orders.openAmount')}</span> : <Money amount={total} />
}
