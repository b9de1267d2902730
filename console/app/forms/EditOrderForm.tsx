import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { isLive, type OrderWithPayments, orderCan, updateOrder } from '../api/orders.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'
import { isAtField } from './NewOrderForm.tsx'
import { OrderWhatFields, OrderWhomFields } from './OrderFields.tsx'
import { changesOf, draftOf, type OrderDraft } from './order-draft.ts'

/** The fields of a new order, filled in, without the prices once something was paid. Another form changes the payment method. */
export function EditOrderForm({
  order,
  onDone,
}: {
  order: OrderWithPayments
  onDone: (after: OrderWithPayments) => void
}) {
  const say = useSay()
  const [before] = useState(() => draftOf(order))
  const [draft, setDraft] = useState<OrderDraft>(before)
  const set = (part: Partial<OrderDraft>) => setDraft((now) => ({ ...now, ...part }))
  const attempt = useMutation({
    mutationFn: () => updateOrder(order.id, changesOf(draft, before)),
    onSuccess: onDone,
  })
  const refusal = useRefusal(attempt.error)
  const submit = submitting(() => attempt.mutate())
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {order.payments.some(isLive) && <Text size="sm">{say('orders.editHelp')}</Text>}
        {orderCan.price(order) ? (
          <OrderWhatFields
            draft={draft}
            set={set}
            refusal={refusal}
            kinds={before.kind === 'open' ? ['items', 'amount', 'open'] : ['items', 'amount']}
          />
        ) : (
          <Text size="sm" className="quiet">
            {say('orders.priceLocked')}
          </Text>
        )}
        <OrderWhomFields draft={draft} set={set} refusal={refusal} isKnown={false} />
        {refusal !== null && !isAtField(refusal) && <ProblemMessage error={refusal} />}
        <Group>
          <Button type="submit" loading={attempt.isPending}>
            {say('orders.saveEdit')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
