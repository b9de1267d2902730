import { Checkbox, Group, TextInput } from '@mantine/core'
import { useSay } from '../text/text.tsx'
import type { OrderFieldsProps } from './OrderWhatFields.tsx'

/** For whom it is, and what the organization notes about it. */
export function OrderWhomFields({ draft, set, refusal, isKnown }: OrderFieldsProps & { isKnown: boolean }) {
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
    </>
  )
}
