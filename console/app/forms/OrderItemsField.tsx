import { ActionIcon, Button, Group, NumberInput, Stack, Text } from '@mantine/core'
import type { Problem } from '../api/problem.ts'
import { useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'
import { rupiah } from '../ui/Money.tsx'
import { MoneyField } from '../ui/MoneyField.tsx'
import { ProductField } from './ProductField.tsx'

/** `sku` is that of the product that was picked, or kept from an order that is edited. */
export type ItemDraft = {
  key: number
  sku?: string
  name: string
  quantity: number | string
  price: number | string
}

export const emptyItem = (key: number): ItemDraft => ({ key, name: '', quantity: 1, price: '' })
export const subtotalOf = ({ quantity, price }: ItemDraft) => Number(quantity || 0) * Number(price || 0)

/** Rows of what is sold, with what they come to while typing. The server's refusal stands at its field. */
export function OrderItemsField(props: {
  items: readonly ItemDraft[]
  refusal: Problem | null
  onChange: (items: ItemDraft[]) => void
}) {
  const say = useSay()
  const { items } = props
  const change = (key: number, part: Partial<ItemDraft>) =>
    props.onChange(items.map((item) => (item.key === key ? { ...item, ...part } : item)))
  const add = () => props.onChange([...items, emptyItem(Math.max(...items.map(({ key }) => key)) + 1)])
  return (
    <Stack gap="sm" role="group" aria-label={say('orders.items')}>
      {items.map((item, index) => (
        <div key={item.key}>
          <div className="items-row">
            <ProductField
              label={say('orders.itemName')}
              placeholder={say('orders.pickProduct')}
              value={item.name}
              onChange={(name) => change(item.key, { name })}
              onPick={({ sku, name, price }) => change(item.key, { sku, name, price })}
              error={props.refusal?.at(`items.${index}.name`) ?? props.refusal?.at(`items.${index}.sku`)}
            />
            <NumberInput
              aria-label={say('orders.quantity')}
              required
              min={1}
              allowDecimal={false}
              inputMode="numeric"
              value={item.quantity}
              onChange={(quantity) => change(item.key, { quantity })}
              error={props.refusal?.at(`items.${index}.quantity`)}
            />
            <MoneyField
              aria-label={say('orders.price')}
              placeholder={say('orders.price')}
              required
              value={item.price}
              onChange={(price) => change(item.key, { price })}
              error={props.refusal?.at(`items.${index}.unit_price`)}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              disabled={items.length === 1}
              aria-label={say('orders.removeItem', { name: item.name || String(index + 1) })}
              onClick={() => props.onChange(items.filter(({ key }) => key !== item.key))}
            >
              <Icon name="close" size={16} />
            </ActionIcon>
          </div>
          <Text size="xs" className="quiet figures" ta="right" pr={40}>
            {subtotalOf(item) > 0 ? rupiah(subtotalOf(item)) : ' '}
          </Text>
        </div>
      ))}
      <Group>
        <Button size="compact-sm" variant="default" leftSection={<Icon name="plus" size={14} />} onClick={add}>
          {say('orders.addItem')}
        </Button>
      </Group>
    </Stack>
  )
}
