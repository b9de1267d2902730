import { Alert, Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { completeOrder, deliverOrder, type Order, orderCan, processOrder } from '../api/orders.ts'
import { replaceRow } from '../api/pages.ts'
import { useSay } from '../text/text.tsx'
import { Confirm } from '../ui/Confirm.tsx'

const calls = { process: processOrder, deliver: deliverOrder, complete: completeOrder }
type Act = keyof typeof calls
const ACTS: readonly Act[] = ['process', 'deliver', 'complete']

/** What is done to several orders at once, one after the other. What one of them refuses does not hold up the others. */
export function OrderBulk(props: {
  orders: readonly Order[]
  ticked: ReadonlySet<string>
  onTicked: (ids: ReadonlySet<string>) => void
}) {
  const say = useSay()
  const queries = useQueryClient()
  const [act, setAct] = useState<Act | null>(null)
  const chosen = props.orders.filter(({ id }) => props.ticked.has(id))
  const able = (name: Act) => chosen.filter((order) => orderCan[name](order))
  const doing = useMutation({
    mutationFn: async (name: Act) => {
      let done = 0
      for (const { id } of able(name)) {
        const after = await calls[name](id).catch(() => null)
        if (after === null) continue
        done += 1
        replaceRow(queries, '/api/proxy/orders', after)
        queries.invalidateQueries({ queryKey: ['order', id] })
      }
      return { done, count: chosen.length }
    },
    onSettled: () => setAct(null),
    onSuccess: () => props.onTicked(new Set()),
  })
  if (chosen.length === 0)
    return doing.data === undefined ? null : (
      <Alert color="teal" variant="light" mb="sm" withCloseButton onClose={doing.reset} role="status">
        {say('bulk.done', doing.data)}
      </Alert>
    )
  return (
    <Group gap="sm" mb="sm" role="toolbar" aria-label={say('bulk.selected', { count: chosen.length })}>
      <Text size="sm" fw={600}>
        {say('bulk.selected', { count: chosen.length })}
      </Text>
      {ACTS.map((name) => (
        <Button key={name} size="xs" variant="default" disabled={able(name).length === 0} onClick={() => setAct(name)}>
          {say(`bulk.${name}`)}
        </Button>
      ))}
      <Button size="xs" variant="subtle" color="gray" onClick={() => props.onTicked(new Set())}>
        {say('bulk.clear')}
      </Button>
      <Confirm
        isOpen={act !== null}
        title={say('bulk.sure', { act: say(`bulk.${act ?? 'complete'}`), count: able(act ?? 'complete').length })}
        consequence={say('bulk.consequence')}
        act={say(`bulk.${act ?? 'complete'}`)}
        isHarmless
        isPending={doing.isPending}
        error={doing.error}
        onConfirm={() => act !== null && doing.mutate(act)}
        onClose={() => setAct(null)}
      />
    </Group>
  )
}
