import { Alert, Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { cancelOrder, completeOrder, deliverOrder, type Order, orderCan, processOrder } from '../api/orders.ts'
import { replaceRow } from '../api/pages.ts'
import { useSay } from '../text/text.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { useRefusal } from '../ui/submission.ts'

const calls = { process: processOrder, deliver: deliverOrder, complete: completeOrder, cancel: cancelOrder }
type Act = keyof typeof calls
const ACTS: readonly Act[] = ['process', 'deliver', 'complete', 'cancel']

/** What is done to several orders at once, one after the other. What one of them refuses does not hold up the others. */
export function OrderBulk(props: {
  orders: readonly Order[]
  ticked: ReadonlySet<string>
  onTicked: (ids: ReadonlySet<string>) => void
}) {
  const say = useSay()
  const queries = useQueryClient()
  const [act, setAct] = useState<Act | null>(null)
  const [done, setDone] = useState(0)
  const chosen = props.orders.filter(({ id }) => props.ticked.has(id))
  const able = (name: Act) => chosen.filter((order) => orderCan[name](order))
  const doing = useMutation({
    mutationFn: async (name: Act) => {
      const refused: Refused[] = []
      const asked = able(name)
      for (const { id, number } of asked) {
        try {
          replaceRow(queries, '/api/proxy/orders', await calls[name](id))
          queries.invalidateQueries({ queryKey: ['order', id] })
        } catch (error) {
          refused.push({ number, error })
        }
        setDone((count) => count + 1)
      }
      const left = chosen.filter((order) => !asked.includes(order)).map(({ number }) => number)
      return { done: asked.length - refused.length, count: chosen.length, refused, left }
    },
    onMutate: () => setDone(0),
    onSettled: () => setAct(null),
    onSuccess: () => props.onTicked(new Set()),
  })
  if (chosen.length === 0) return doing.data === undefined ? null : <BulkReport {...doing.data} onClose={doing.reset} />
  return (
    <Group gap="sm" mb="sm" role="toolbar" aria-label={say('bulk.selected', { count: chosen.length })}>
      <Text size="sm" fw={600}>
        {say('bulk.selected', { count: chosen.length })}
      </Text>
      {ACTS.map((name) => (
        <Button
          key={name}
          size="xs"
          variant={name === 'cancel' ? 'light' : 'default'}
          {...(name === 'cancel' && { color: 'red' })}
          disabled={able(name).length === 0}
          onClick={() => setAct(name)}
        >
          {say(`bulk.${name}`)}
        </Button>
      ))}
      <Button size="xs" variant="subtle" color="gray" onClick={() => props.onTicked(new Set())}>
        {say('bulk.clear')}
      </Button>
      <Confirm
        isOpen={act !== null}
        title={say('bulk.sure', { act: say(`bulk.${act ?? 'complete'}`), count: able(act ?? 'complete').length })}
        consequence={
          <>
            {act === 'cancel' && <p>{say('bulk.cancelConsequence')}</p>}
            {say('bulk.consequence')}
            {doing.isPending && (
              <p role="status">{say('bulk.progress', { done, count: able(act ?? 'complete').length })}</p>
            )}
          </>
        }
        act={say(`bulk.${act ?? 'complete'}`)}
        isHarmless={act !== 'cancel'}
        isPending={doing.isPending}
        error={doing.error}
        onConfirm={() => act !== null && doing.mutate(act)}
        onClose={() => setAct(null)}
      />
    </Group>
  )
}

type Refused = { number: string; error: unknown }

/** What was done, and each order that it was not done to, with the reason. */
function BulkReport(props: { done: number; count: number; refused: Refused[]; left: string[]; onClose: () => void }) {
  const say = useSay()
  const { done, count, refused, left } = props
  return (
    <Alert
      color={refused.length > 0 ? 'red' : 'teal'}
      variant="light"
      mb="sm"
      withCloseButton
      closeButtonLabel={say('act.close')}
      onClose={props.onClose}
      role="status"
    >
      {say('bulk.done', { done, count })}
      {refused.map(({ number, error }) => (
        <RefusedOrder key={number} number={number} error={error} />
      ))}
      {left.length > 0 && (
        <Text size="sm">{say('bulk.left', { numbers: left.map((one) => `#${one}`).join(', ') })}</Text>
      )}
    </Alert>
  )
}

function RefusedOrder({ number, error }: Refused) {
  const refusal = useRefusal(error)
  return (
    <Text size="sm">
      #{number}: {refusal?.message ?? String(error)}
    </Text>
  )
}
