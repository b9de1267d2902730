import { Table } from '@mantine/core'
import type { Order } from '../api/orders.ts'
import { useSay } from '../text/text.tsx'
import { Money, rupiah } from '../ui/Money.tsx'
import { Section } from '../ui/Section.tsx'

/** What was sold, line by line, down to the total. */
export function OrderItems({ order }: { order: Order }) {
  const say = useSay()
  if (order.items.length === 0) return null
  const extras = (['discount', 'shipping', 'tax'] as const).filter((name) => order[name] !== 0)
  return (
    <Section title={say('orders.items')}>
      <Table verticalSpacing={6} aria-label={say('orders.items')}>
        <Table.Tbody>
          {order.items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and the lines of an order never change.
            <Table.Tr key={index}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                {item.name} {item.sku !== null && <span className="quiet mono">{item.sku}</span>}
              </Table.Td>
              <Table.Td ta="right" className="figures" style={{ whiteSpace: 'nowrap' }}>
                {item.quantity} × {rupiah(item.unit_price)}
              </Table.Td>
              <Table.Td ta="right">
                <Money amount={item.subtotal} />
              </Table.Td>
            </Table.Tr>
          ))}
          {extras.map((name) => (
            <Table.Tr key={name}>
              <Table.Td colSpan={2}>{say(`orders.${name}`)}</Table.Td>
              <Table.Td ta="right">
                {name === 'discount' ? '− ' : ''}
                <Money amount={order[name]} />
              </Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr fw={600}>
            <Table.Td colSpan={2}>{say('orders.total')}</Table.Td>
            <Table.Td ta="right">
              <Money amount={order.total} />
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
    </Section>
  )
}
