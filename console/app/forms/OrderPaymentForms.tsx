import { Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useIdempotencyKey } from '../api/idempotency.ts'
import { isLive, markOrderPaid, type OrderWithPayments, payOrder } from '../api/orders.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { useRefusal } from '../ui/refusal.ts'
import { submitting } from '../ui/submitting.ts'
import { rupiah } from '../ui/Time.tsx'
import { MethodFields, useMethods } from './MethodFields.tsx'

type FormProps = { order: OrderWithPayments; onDone: (after: OrderWithPayments) => void }

/** Another attempt, by the same method or another. The open one is ended first. */
export function AnotherWayForm({ order, onDone }: FormProps) {
  const say = useSay()
  const methods = useMethods()
  const [method, setMethod] = useState<string | null>(null)
  const [bank, setBank] = useState<string | null>(null)
  const { keyFor, hear } = useIdempotencyKey()
  const attempt = useMutation({
    mutationFn: () => {
      const wish = { method: method ?? '', ...(bank !== null && { bank }) }
      return payOrder(order.id, wish, keyFor(wish))
    },
    onSettled: (_after, error) => hear(error),
    onSuccess: onDone,
  })
  const refusal = useRefusal(attempt.error)
  const isAnyOpen = order.payments.some(isLive)
  const submit = submitting(() => attempt.mutate())
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {isAnyOpen && <Text size="sm">{say('payment.endsOpen')}</Text>}
        <MethodFields
          methods={methods.filter(({ method: name }) => name !== 'free')}
          method={method}
          bank={bank}
          onMethod={setMethod}
          onBank={setBank}
          methodError={refusal?.at('method')}
          bankError={refusal?.at('bank')}
        />
        {refusal !== null && refusal.fields.length === 0 && <ProblemMessage error={refusal} />}
        <Group>
          <Button type="submit" loading={attempt.isPending} disabled={method === null}>
            {say('order.act.pay')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Money that staff have seen. Less than what is owed is possible: then the order stays open. */
export function MarkPaidForm({ order, onDone }: FormProps) {
  const say = useSay()
  const due = order.total === null ? null : order.total - (order.amount_paid - order.amount_returned)
  const [amount, setAmount] = useState<number | string>(due ?? '')
  const [note, setNote] = useState('')
  const { keyFor, hear } = useIdempotencyKey()
  const marking = useMutation({
    mutationFn: () => {
      // Always told: without an amount everything that is owed would count as paid.
      const money = { amount: Number(amount), ...(note.trim() !== '' && { note: note.trim() }) }
      return markOrderPaid(order.id, money, keyFor(money))
    },
    onSettled: (_after, error) => hear(error),
    onSuccess: onDone,
  })
  const refusal = useRefusal(marking.error)
  const submit = submitting(() => marking.mutate())
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{say('payment.markHelp')}</Text>
        <NumberInput
          label={say('payment.amountSeen')}
          {...(due !== null && { description: say('payment.due', { amount: rupiah(due) }) })}
          required
          allowNegative={false}
          allowDecimal={false}
          thousandSeparator="."
          decimalSeparator=","
          prefix="Rp "
          hideControls
          inputMode="numeric"
          value={amount}
          onChange={setAmount}
          error={refusal?.at('amount')}
        />
        <TextInput
          label={say('orders.note')}
          description={say('payment.noteHelp')}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          error={refusal?.at('note')}
        />
        {refusal !== null && refusal.fields.length === 0 && <ProblemMessage error={refusal} />}
        <Group>
          <Button type="submit" loading={marking.isPending}>
            {typeof amount === 'number'
              ? say('payment.confirmMoney', { amount: rupiah(amount) })
              : say('order.act.markPaid')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
