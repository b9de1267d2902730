import { Checkbox, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import type { Problem } from '../api/problem.ts'
import { useSay } from '../text/text.tsx'
import { rupiah } from '../ui/Money.tsx'
import { MoneyField } from '../ui/MoneyField.tsx'
import { CustomerField } from './CustomerField.tsx'
import { OrderItemsField } from './OrderItemsField.tsx'
import { addressFields, type OrderDraft, totalOf } from './order-draft.ts'

export type OrderFieldsProps = {
  draft: OrderDraft
  set: (part: Partial<OrderDraft>) => void
  refusal: Problem | null
}

type Kind = OrderDraft['kind']
const KINDS: readonly Kind[] = ['items', 'amount', 'open']

/** What is sold: items, an amount, or whatever the payer gives. */
export function OrderWhatFields({
  draft,
  set,
  refusal,
  kinds = KINDS,
}: OrderFieldsProps & { kinds?: readonly Kind[] }) {
  const say = useSay()
  return (
    <>
      <SegmentedControl
        aria-label={say('orders.what')}
        value={draft.kind}
        onChange={(kind) => set({ kind })}
        data={kinds.map((value) => ({ value, label: say(`orders.what.${value}`) }))}
      />
      {draft.kind === 'items' && (
        <>
          <OrderItemsField items={draft.items} refusal={refusal} onChange={(items) => set({ items })} />
          <Group grow gap="sm" align="flex-start">
            {(['discount', 'shipping', 'tax'] as const).map((name) => (
              <MoneyField
                key={name}
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
        <MoneyField
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

/** For whom it is, and what the organization notes about it. */
export function OrderWhomFields({ draft, set, refusal, isKnown }: OrderFieldsProps & { isKnown: boolean }) {
  const say = useSay()
  return (
    <>
      <Group grow gap="sm" align="flex-start">
        <CustomerField
          label={say('orders.customerName')}
          placeholder={isKnown ? undefined : say('orders.pickCustomer')}
          value={draft.name}
          onChange={(name) => set({ name })}
          onPick={({ name, phone }) => set({ name: name ?? draft.name, phone: phone ?? draft.phone })}
          error={refusal?.at('customer.name')}
        />
        <TextInput
          label={say('orders.phone')}
          type="tel"
          placeholder="+62 812-3456-7890"
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
      <details open={isMoreSet(draft) || undefined}>
        <summary>{say('orders.more')}</summary>
        <Stack gap="md" mt="sm">
          <DeliveryAddressFields draft={draft} set={set} refusal={refusal} />
          <TextInput
            label={say('orders.dueAt')}
            description={say('orders.dueHelp')}
            type="date"
            value={draft.due}
            onChange={(event) => set({ due: event.currentTarget.value })}
            error={refusal?.at('due_at')}
          />
        </Stack>
      </details>
    </>
  )
}

const isMoreSet = ({ due, address }: OrderDraft) => [due, ...Object.values(address)].some((value) => value !== '')

const ADDRESS_LABELS = {
  name: 'orders.addressName',
  line: 'orders.addressLine',
  district: 'orders.addressDistrict',
  city: 'orders.addressCity',
  postal_code: 'orders.addressCode',
} as const

function DeliveryAddressFields({ draft, set, refusal }: OrderFieldsProps) {
  const say = useSay()
  return (
    <fieldset className="plain">
      <Text component="legend" size="sm" fw={500} mb={4}>
        {say('delivery.address')}
      </Text>
      <div className="address">
        {addressFields.map((name) => (
          <TextInput
            key={name}
            aria-label={say(ADDRESS_LABELS[name])}
            placeholder={say(ADDRESS_LABELS[name])}
            value={draft.address[name]}
            onChange={(event) => set({ address: { ...draft.address, [name]: event.currentTarget.value } })}
            error={refusal?.at(`delivery.address.${name}`)}
          />
        ))}
      </div>
    </fieldset>
  )
}
