import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useIdempotencyKey } from '../api/client.ts'
import {
  type BillingType,
  type ChargedMethod,
  channelField,
  isLive,
  markOrderPaid,
  type OrderPaid,
  type OrderWithPayments,
  payOrder,
} from '../api/orders.ts'
import { useSay } from '../text/text.tsx'
import { RefusalMessage } from '../ui/Message.tsx'
import { rupiah } from '../ui/Money.tsx'
import { MoneyField } from '../ui/MoneyField.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'
import { MethodFields, useManualMethods, useMethods } from './MethodFields.tsx'

type FormProps = { order: OrderWithPayments; onDone: (after: OrderWithPayments) => void }

/** The draft that a cart made has had no way to be paid yet, so there is no other one. */
export const payKeyOf = ({ payments }: OrderWithPayments) => (payments.length === 0 ? 'order.act.ask' : 'order.act.pay')

/** The first attempt, or another by the same method or a different one. The open one is ended first. */
export function AnotherWayForm({ order, onDone }: FormProps) {
  const say = useSay()
  const methods = useMethods()
  const [method, setMethod] = useState<BillingType | null>(null)
  const [bank, setBank] = useState<string | null>(null)
  const [amount, setAmount] = useState<number | string>('')
  const due = order.amount_remaining
  const { keyFor, hear } = useIdempotencyKey()
  const attempt = useMutation({
    mutationFn: () => {
      const part = typeof amount === 'number' ? { amount } : {}
      const asked = { method: method as ChargedMethod, ...(bank !== null && channelField(method, bank)), ...part }
      return payOrder(order.id, asked, keyFor(asked))
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
          bankError={refusal?.at('bank') ?? refusal?.at('channel') ?? refusal?.at('phone')}
        />
        {due !== null && (
          <MoneyField
            label={say('payment.part')}
            description={say('payment.partHelp', { amount: rupiah(due) })}
            value={amount}
            onChange={setAmount}
            error={refusal?.at('amount')}
          />
        )}
        <RefusalMessage refusal={refusal} />
        <Group>
          <Button type="submit" loading={attempt.isPending} disabled={method === null}>
            {say(payKeyOf(order))}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Money that staff have seen. Less than the remaining amount is possible: then the order stays open. */
export function MarkPaidForm({ order, onDone }: FormProps) {
  const say = useSay()
  const due = order.amount_remaining
  const { money, marking, refusal, submit } = useSeenMoney({ order, onDone, due, more: {} })
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{say('payment.markHelp')}</Text>
        <SeenMoneyFields
          money={money}
          refusal={refusal}
          {...(due !== null && { help: say('payment.due', { amount: rupiah(due) }) })}
        />
        <RefusalMessage refusal={refusal} />
        <ConfirmMoney amount={money.amount} isPending={marking.isPending} fallback={say('order.act.markPaid')} />
      </Stack>
    </form>
  )
}

/** Money that was not due: the customer paid a second time. */
export function PaidAgainForm({ order, onDone }: FormProps) {
  const say = useSay()
  const methods = useManualMethods()
  const last = order.payments.findLast(({ provider }) => provider === 'manual')?.method
  const [chosen, setChosen] = useState<ChargedMethod | null>(null)
  const method = chosen ?? methods.find((name) => name === last) ?? null
  const more = { again: true as const, ...(method !== null && { method }) }
  const { money, marking, refusal, submit } = useSeenMoney({ order, onDone, due: null, more })
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{say('payment.againHelp')}</Text>
        {methods.length > 0 && (
          <Select
            label={say('payment.againMethod')}
            required
            allowDeselect={false}
            data={methods.map((name) => ({ value: name, label: say(`method.${name}`) }))}
            value={method}
            onChange={setChosen}
            error={refusal?.at('method')}
          />
        )}
        <SeenMoneyFields money={money} refusal={refusal} />
        <RefusalMessage refusal={refusal} />
        <ConfirmMoney
          amount={money.amount}
          isPending={marking.isPending}
          isReady={methods.length === 0 || method !== null}
          fallback={say('order.act.paidAgain')}
        />
      </Stack>
    </form>
  )
}

type Money = ReturnType<typeof useMoney>

function useMoney(due: number | null) {
  const [amount, setAmount] = useState<number | string>(due ?? '')
  const [note, setNote] = useState('')
  return { amount, setAmount, note, setNote }
}

type Seen = FormProps & { due: number | null; more: Pick<OrderPaid, 'again' | 'method'> }

function useSeenMoney({ order, onDone, due, more }: Seen) {
  const money = useMoney(due)
  const { keyFor, hear } = useIdempotencyKey()
  const marking = useMutation({
    mutationFn: () => {
      const note = money.note.trim()
      // Always sent: without an amount the whole remaining amount would count as paid.
      const seen = { amount: Number(money.amount), ...(note !== '' && { note }), ...more }
      return markOrderPaid(order.id, seen, keyFor(seen))
    },
    onSettled: (_after, error) => hear(error),
    onSuccess: onDone,
  })
  return { money, marking, refusal: useRefusal(marking.error), submit: submitting(() => marking.mutate()) }
}

function SeenMoneyFields(props: { money: Money; refusal: ReturnType<typeof useRefusal>; help?: string }) {
  const say = useSay()
  const { money, refusal, help } = props
  return (
    <>
      <MoneyField
        label={say('payment.amountSeen')}
        {...(help !== undefined && { description: help })}
        required
        value={money.amount}
        onChange={money.setAmount}
        error={refusal?.at('amount')}
      />
      <TextInput
        label={say('orders.note')}
        description={say('payment.noteHelp')}
        value={money.note}
        onChange={(event) => money.setNote(event.currentTarget.value)}
        error={refusal?.at('note')}
      />
    </>
  )
}

function ConfirmMoney(props: { amount: number | string; isPending: boolean; isReady?: boolean; fallback: string }) {
  const say = useSay()
  const { amount, isPending, isReady = true, fallback } = props
  return (
    <Group>
      <Button type="submit" loading={isPending} disabled={!isReady}>
        {typeof amount === 'number' ? say('payment.confirmMoney', { amount: rupiah(amount) }) : fallback}
      </Button>
    </Group>
  )
}
