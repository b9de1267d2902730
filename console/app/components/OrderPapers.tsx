import { Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type OrderWithPayments, orderInvoice, orderReceipt, sendInvoice, sendReceipt } from '../api/orders.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'

const SENDERS = { receipt: sendReceipt, invoice: sendInvoice }

/** The receipt and the invoice of an order. Opening one for the first time numbers it. */
export function OrderPapers({ order, maySend }: { order: OrderWithPayments; maySend: boolean }) {
  const say = useSay()
  const open = useMutation({
    mutationFn: (read: typeof orderReceipt) => read(order.id),
    onSuccess: ({ url }) => window.open(url, '_blank', 'noopener'),
  })
  const send = useMutation({ mutationFn: (kind: keyof typeof SENDERS) => SENDERS[kind](order.id) })
  const hasReceipt = order.amount_paid > 0
  const hasInvoice = order.total !== null && !['draft', 'cancelled', 'expired'].includes(order.status)
  const isReachable = order.chat_id !== null || order.customer.phone !== null
  if (!hasReceipt && !hasInvoice) return null
  return (
    <>
      <Group gap="sm">
        {hasReceipt && (
          <Button size="sm" variant="default" loading={open.isPending} onClick={() => open.mutate(orderReceipt)}>
            {say('order.receipt')}
          </Button>
        )}
        {hasInvoice && (
          <Button size="sm" variant="default" loading={open.isPending} onClick={() => open.mutate(orderInvoice)}>
            {say('order.invoice')}
          </Button>
        )}
        {hasReceipt && maySend && isReachable && (
          <Button size="sm" variant="default" loading={send.isPending} onClick={() => send.mutate('receipt')}>
            {say('order.sendReceipt')}
          </Button>
        )}
        {hasInvoice && maySend && isReachable && (
          <Button size="sm" variant="default" loading={send.isPending} onClick={() => send.mutate('invoice')}>
            {say('order.sendInvoice')}
          </Button>
        )}
        {send.isSuccess && (
          <Text size="sm" role="status">
            {say(send.variables === 'invoice' ? 'order.invoiceSent' : 'order.receiptSent')}
          </Text>
        )}
      </Group>
      <ProblemMessage error={open.error ?? send.error} />
    </>
  )
}
