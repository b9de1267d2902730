import { Button, Group, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useIdempotencyKey } from '../api/client.ts'
import { createOrder, type Order, withChoice } from '../api/orders.ts'
import type { Problem } from '../api/problem.ts'
import { NotConnected } from '../components/NotConnected.tsx'
import { useSay } from '../text/text.tsx'
import { LinkText } from '../ui/Links.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'
import { useFormDraft } from './form-draft.ts'
import { MethodFields, useMethods } from './MethodFields.tsx'
import { OrderWhatFields, OrderWhomFields } from './OrderFields.tsx'
import { emptyDraft, type OrderDraft, orderOf } from './order-draft.ts'

/** An order: how it is paid, what it is, and for whom. Made in a chat, it belongs to that chat. */
export function NewOrderForm({
  customer,
  chatId,
  onCreated,
}: {
  customer?: { name: string; phone: string }
  chatId?: string
  onCreated: (order: Order) => void
}) {
  const say = useSay()
  const queries = useQueryClient()
  const methods = withChoice(useMethods())
  const [draft, set, clearDraft] = useFormDraft<OrderDraft>(`order ${chatId ?? ''}`, () => ({
    ...emptyDraft,
    ...customer,
  }))
  const { keyFor } = useIdempotencyKey()
  const method = draft.method ?? methods[0]?.method ?? null
  const attempt = useMutation({
    mutationFn: () => {
      const order = { ...orderOf({ ...draft, method }), ...(chatId !== undefined && { chat_id: chatId }) }
      return createOrder(order, keyFor(order))
    },
    onSuccess: (order) => {
      clearDraft()
      queries.invalidateQueries({ queryKey: ['orders-of'] })
      onCreated(order)
    },
  })
  const refusal = useRefusal(attempt.error)
  const submit = submitting(() => attempt.mutate())
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {methods.length === 0 && <NotConnected kind="payments" />}
        <MethodFields
          methods={methods}
          method={method}
          bank={draft.bank}
          onMethod={(value) => set({ method: value })}
          onBank={(bank) => set({ bank })}
          methodError={
            refusal?.at('billingType') ??
            (refusal?.code === 'payment_method_not_configured' ? notConfigured(refusal) : undefined)
          }
          bankError={refusal?.at('payment.bank') ?? refusal?.at('payment.channel') ?? refusal?.at('payment.phone')}
        />
        <OrderWhatFields draft={draft} set={set} refusal={refusal} />
        <OrderWhomFields draft={draft} set={set} refusal={refusal} isKnown={customer !== undefined} />
        {refusal !== null && !isAtField(refusal) && <ProblemMessage error={refusal} />}
        {refusal?.code === 'order_reference_taken' && (
          <LinkText to="/orders/$id" params={{ id: String(refusal.params.order_id) }} size="sm">
            {say('orders.openTaken')}
          </LinkText>
        )}
        <Group>
          <Button type="submit" loading={attempt.isPending} disabled={methods.length === 0}>
            {say('orders.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const notConfigured = ({ message, params }: Problem) =>
  Array.isArray(params.enabled) ? `${message} (${params.enabled.join(', ')})` : message

const FIELDS = [
  'billingType',
  'payment.bank',
  'payment.channel',
  'payment.phone',
  'amount',
  'customer.phone',
  'customer.name',
  'reference',
  'note',
  'shipping',
  'discount',
  'tax',
  'due_at',
]
const AT_A_FIELD = ['payment_method_not_configured', 'order_reference_taken']

/** Whether everything the server refuses is said at a field of this form. */
export const isAtField = (refusal: Problem) =>
  AT_A_FIELD.includes(refusal.code) ||
  (refusal.fields.length > 0 &&
    refusal.fields.every(
      ({ pointer }) =>
        FIELDS.some((field) => pointer === `#/${field.replaceAll('.', '/')}`) ||
        /^#\/(?:items\/\d+|delivery\/address)\/\w+$/.test(pointer ?? ''),
    ))
