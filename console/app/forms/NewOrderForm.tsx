import { Button, Checkbox, Group, NumberInput, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { newIdempotencyKey } from '../api/idempotency.ts'
import { createOrder, type NewOrder, type Order } from '../api/orders.ts'
import { Problem } from '../api/problem.ts'
import { useSay } from '../text/text.tsx'
import { LinkText } from '../ui/Links.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { rupiah } from '../ui/Time.tsx'
import { MethodFields, useMethods } from './MethodFields.tsx'
import { emptyItem, type ItemDraft, OrderItemsField, subtotalOf } from './OrderItemsField.tsx'

export type Draft = {
  method: string | null
  bank: string | null
  kind: 'items' | 'amount' | 'open'
  items: ItemDraft[]
  amount: number | string
  shipping: number | string
  discount: number | string
  name: string
  phone: string
  reference: string
  note: string
  isNotified: boolean
}

const emptyDraft: Draft = {
  method: null,
  bank: null,
  kind: 'items',
  items: [emptyItem(0)],
  amount: '',
  shipping: '',
  discount: '',
  name: '',
  phone: '',
  reference: '',
  note: '',
  isNotified: true,
}

/** An order: how it is paid, what it is, and for whom. */
export function NewOrderForm({
  customer,
  onMade,
}: {
  customer?: { name: string; phone: string }
  onMade: (order: Order) => void
}) {
  const say = useSay()
  const queries = useQueryClient()
  const methods = useMethods()
  const [draft, setDraft] = useState<Draft>({ ...emptyDraft, ...customer })
  const set = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }))
  // One key for one form: sending it again after a lost answer makes no second order. A change makes it another request.
  const sent = useRef({ key: newIdempotencyKey(), body: '' })
  const method = draft.method ?? methods[0]?.method ?? null
  const attempt = useMutation({
    mutationFn: () => {
      const order = orderOf({ ...draft, method })
      const body = JSON.stringify(order)
      if (sent.current.body !== body) sent.current = { key: newIdempotencyKey(), body }
      return createOrder(order, sent.current.key)
    },
    onSuccess: (order) => {
      queries.invalidateQueries({ queryKey: ['orders-of'] })
      onMade(order)
    },
  })
  const refusal = attempt.error instanceof Problem ? attempt.error : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    attempt.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
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
          bankError={refusal?.at('payment.bank')}
        />
        <WhatFields draft={draft} set={set} refusal={refusal} />
        <WhomFields draft={draft} set={set} refusal={refusal} isKnown={customer !== undefined} />
        {refusal !== null && !isAtField(refusal) && <ProblemMessage error={refusal} />}
        {refusal?.code === 'order_reference_taken' && (
          <LinkText to="/orders" search={{ open: String(refusal.params.order_id) }} size="sm">
            {say('orders.openTaken')}
          </LinkText>
        )}
        <Group>
          <Button type="submit" loading={attempt.isPending}>
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
  'amount',
  'customer.phone',
  'customer.name',
  'reference',
  'note',
  'shipping',
  'discount',
]
const AT_A_FIELD = ['payment_method_not_configured', 'order_reference_taken']

/** Whether everything the server refuses is said at a field of this form. */
const isAtField = (refusal: Problem) =>
  AT_A_FIELD.includes(refusal.code) ||
  (refusal.fields.length > 0 &&
    refusal.fields.every(
      ({ pointer }) =>
        FIELDS.some((field) => pointer === `#/${field.replaceAll('.', '/')}`) ||
        /^#\/items\/\d+\/\w+$/.test(pointer ?? ''),
    ))

type FieldsProps = { draft: Draft; set: (part: Partial<Draft>) => void; refusal: Problem | null }

const money = {
  min: 0,
  allowDecimal: false,
  hideControls: true,
  thousandSeparator: '.',
  decimalSeparator: ',',
  prefix: 'Rp ',
  inputMode: 'numeric',
} as const

function WhatFields({ draft, set, refusal }: FieldsProps) {
  const say = useSay()
  return (
    <>
      <SegmentedControl
        aria-label={say('orders.what')}
        value={draft.kind}
        onChange={(kind) => set({ kind: kind as Draft['kind'] })}
        data={(['items', 'amount', 'open'] as const).map((value) => ({ value, label: say(`orders.what.${value}`) }))}
      />
      {draft.kind === 'items' && (
        <>
          <OrderItemsField items={draft.items} refusal={refusal} onChange={(items) => set({ items })} />
          <Group grow gap="sm" align="flex-start">
            {(['shipping', 'discount'] as const).map((name) => (
              <NumberInput
                key={name}
                {...money}
                label={say(`orders.${name}`)}
                value={draft[name]}
                onChange={(value) => set({ [name]: value })}
                error={refusal?.at(name)}
              />
            ))}
          </Group>
          <Group justify="space-between" fw={600}>
            <span>{say('orders.total')}</span>
            <span className="figures" role="status" aria-label={say('orders.total')}>
              {rupiah(totalOf(draft))}
            </span>
          </Group>
          {refusal?.at('amount') && (
            <Text size="xs" style={{ color: 'var(--bad)' }}>
              {refusal.at('amount')}
            </Text>
          )}
        </>
      )}
      {draft.kind === 'amount' && (
        <NumberInput
          {...money}
          label={say('orders.amount')}
          required
          value={draft.amount}
          onChange={(amount) => set({ amount })}
          error={refusal?.at('amount')}
        />
      )}
      {draft.kind === 'open' && (
        <Text size="sm" style={refusal?.at('amount') ? { color: 'var(--bad)' } : undefined}>
          {refusal?.at('amount') ?? say('orders.openHelp')}
        </Text>
      )}
    </>
  )
}

function WhomFields({ draft, set, refusal, isKnown }: FieldsProps & { isKnown: boolean }) {
  const say = useSay()
  return (
    <>
      <Group grow gap="sm" align="flex-start">
        <TextInput
          label={say('orders.customerName')}
          value={draft.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={refusal?.at('customer.name')}
        />
        <TextInput
          label={say('orders.phone')}
          type="tel"
          placeholder="0812 3456 7890"
          readOnly={isKnown && draft.phone !== ''}
          value={draft.phone}
          onChange={(event) => set({ phone: event.currentTarget.value })}
          error={refusal?.at('customer.phone')}
        />
      </Group>
      <Checkbox
        label={say('orders.notify')}
        description={say('orders.notifyHelp')}
        checked={draft.isNotified}
        onChange={(event) => set({ isNotified: event.currentTarget.checked })}
      />
      <TextInput
        label={say('orders.reference')}
        description={say('orders.referenceHelp')}
        value={draft.reference}
        onChange={(event) => set({ reference: event.currentTarget.value })}
        error={refusal?.at('reference') ?? (refusal?.code === 'order_reference_taken' ? refusal.message : undefined)}
      />
      <TextInput
        label={say('orders.note')}
        value={draft.note}
        onChange={(event) => set({ note: event.currentTarget.value })}
        error={refusal?.at('note')}
      />
    </>
  )
}

const totalOf = ({ items, shipping, discount }: Draft) =>
  Math.max(0, items.reduce((sum, item) => sum + subtotalOf(item), 0) + Number(shipping || 0) - Number(discount || 0))

/** Only what was filled in: everything else is the server's to decide. */
export function orderOf(draft: Draft): NewOrder {
  const text = (value: string) => (value.trim() === '' ? undefined : value.trim())
  const name = text(draft.name)
  const phone = text(draft.phone)
  const reference = text(draft.reference)
  const note = text(draft.note)
  return {
    billingType: draft.method ?? '',
    ...(draft.bank !== null && { payment: { bank: draft.bank } }),
    ...whatOf(draft),
    ...((name !== undefined || phone !== undefined) && {
      customer: { ...(name !== undefined && { name }), ...(phone !== undefined && { phone }) },
    }),
    notify: draft.isNotified,
    ...(reference !== undefined && { reference }),
    ...(note !== undefined && { note }),
  }
}

function whatOf(draft: Draft): Partial<NewOrder> {
  if (draft.kind === 'open') return {}
  if (draft.kind === 'amount') return { amount: Number(draft.amount) }
  return {
    items: draft.items.map(({ name, quantity, price }) => ({
      name: name.trim(),
      quantity: Number(quantity),
      unit_price: Number(price),
    })),
    ...(Number(draft.shipping) > 0 && { shipping: Number(draft.shipping) }),
    ...(Number(draft.discount) > 0 && { discount: Number(draft.discount) }),
  }
}
