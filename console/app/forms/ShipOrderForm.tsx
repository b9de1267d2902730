import { Autocomplete, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type OrderWithPayments, shipOrder } from '../api/orders.ts'
import { useSay } from '../text/text.tsx'
import { RefusalMessage } from '../ui/Message.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'

const COURIERS = ['jne', 'jnt', 'sicepat', 'anteraja', 'pos', 'tiki', 'ninja', 'lion', 'spx', 'gojek', 'grab']

/** How the goods travel. Every field may stay empty: a shop may bring them without a courier. */
export function ShipOrderForm({
  order,
  onDone,
}: {
  order: OrderWithPayments
  onDone: (after: OrderWithPayments) => void
}) {
  const say = useSay()
  const [courier, setCourier] = useState(order.delivery?.courier ?? '')
  const [service, setService] = useState(order.delivery?.service ?? '')
  const [number, setNumber] = useState(order.delivery?.tracking_number ?? '')
  const [url, setUrl] = useState(order.delivery?.tracking_url ?? '')
  const text = (value: string) => value.trim() || null
  const attempt = useMutation({
    mutationFn: () =>
      shipOrder(order.id, {
        courier: text(courier),
        service: text(service),
        tracking_number: text(number),
        tracking_url: text(url),
      }),
    onSuccess: onDone,
  })
  const refusal = useRefusal(attempt.error)
  return (
    <form onSubmit={submitting(() => attempt.mutate())}>
      <Stack gap="md">
        <Text size="sm">{say('delivery.help')}</Text>
        <Autocomplete label={say('delivery.courier')} data={COURIERS} value={courier} onChange={setCourier} />
        <TextInput
          label={say('delivery.service')}
          placeholder="REG"
          value={service}
          onChange={(event) => setService(event.currentTarget.value)}
        />
        <TextInput
          label={say('delivery.tracking')}
          value={number}
          onChange={(event) => setNumber(event.currentTarget.value)}
        />
        <TextInput
          label={say('delivery.trackingUrl')}
          placeholder="https://"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={refusal?.at('tracking_url')}
        />
        <RefusalMessage refusal={refusal} />
        <Group>
          <Button type="submit" loading={attempt.isPending}>
            {say('order.act.ship')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
