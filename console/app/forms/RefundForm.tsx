import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useIdempotencyKey } from '../api/client.ts'
import { type OrderWithPayments, refundOrder } from '../api/orders.ts'
import type { Problem } from '../api/problem.ts'
import { useSay } from '../text/text.tsx'
import { RefusalMessage } from '../ui/Message.tsx'
import { rupiah } from '../ui/Money.tsx'
import { MoneyField } from '../ui/MoneyField.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'
import { useFormDraft } from './form-draft.ts'

type RefundDraft = { amount: number | string; reason: string; isManual: boolean; note: string }

/** What can be refunded may be another amount after a reload. */
const withoutAmount = ({ amount: _, ...kept }: RefundDraft): Partial<RefundDraft> => kept

/** Gives money back through the provider, or records that staff did it. What it may be at most is the server's to say. */
export function RefundForm({ order, onDone }: { order: OrderWithPayments; onDone: () => void }) {
  const say = useSay()
  const kept = order.amount_paid - order.amount_returned
  const [{ amount, reason, isManual, note }, set, clearDraft] = useFormDraft<RefundDraft>(
    `refund ${order.id}`,
    () => ({ amount: kept, reason: '', isManual: false, note: '' }),
    withoutAmount,
  )
  const { keyFor, hear } = useIdempotencyKey()
  const refunding = useMutation({
    mutationFn: () => {
      const refund = {
        // Always sent: without an amount everything would be refunded.
        amount: Number(amount),
        ...(reason.trim() !== '' && { reason: reason.trim() }),
        ...(isManual && { manual: true, note: note.trim() }),
      }
      return refundOrder(order.id, refund, keyFor(refund))
    },
    onSettled: (_refund, error) => hear(error),
    onSuccess: () => {
      clearDraft()
      onDone()
    },
  })
  const refusal = useRefusal(refunding.error)
  const isTooLarge = refusal?.code === 'refund_too_large'
  const submit = submitting(() => refunding.mutate())
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{say('refund.help')}</Text>
        <MoneyField
          label={say('refund.amount')}
          description={say('refund.kept', { amount: rupiah(kept) })}
          required
          value={amount}
          onChange={(value) => set({ amount: value })}
          error={isTooLarge ? tooLarge(refusal) : refusal?.at('amount')}
        />
        <TextInput
          label={say('refund.reason')}
          value={reason}
          onChange={(event) => set({ reason: event.currentTarget.value })}
          error={refusal?.at('reason')}
        />
        <Checkbox
          label={say('refund.manual')}
          checked={isManual}
          onChange={(event) => set({ isManual: event.currentTarget.checked })}
        />
        {isManual && (
          <TextInput
            label={say('refund.note')}
            required
            value={note}
            onChange={(event) => set({ note: event.currentTarget.value })}
            error={refusal?.at('note')}
          />
        )}
        {!isTooLarge && <RefusalMessage refusal={refusal} />}
        <Group>
          <Button type="submit" color="red" loading={refunding.isPending}>
            {typeof amount === 'number' ? say('refund.give', { amount: rupiah(amount) }) : say('order.act.refund')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const tooLarge = ({ message, params }: Problem) =>
  typeof params.refundable === 'number' ? `${message} (${rupiah(params.refundable)})` : message
