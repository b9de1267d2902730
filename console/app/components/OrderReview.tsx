import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type OrderWithPayments, orderQuery, reviewOrder } from '../api/orders.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'

/** Why a person should look, in words, and what they can decide. */
export function OrderReview({ order, mayDecide }: { order: OrderWithPayments; mayDecide: boolean }) {
  const say = useSay()
  const queries = useQueryClient()
  const decision = useMutation({
    mutationFn: (choice: 'accept' | 'dismiss') => reviewOrder(order.id, choice),
    onSuccess: (after) => queries.setQueryData(orderQuery(order.id).queryKey, after),
  })
  return (
    <section className="review" aria-label={say('orders.needsReview')}>
      <Stack gap="sm">
        <Text size="md" fw={600}>
          {say('orders.needsReview')}
        </Text>
        {(order.needs_review?.reasons ?? ['reversed' as const]).map((reason) => (
          <Text size="sm" key={reason}>
            {say(`review.${reason}`)}
          </Text>
        ))}
        {mayDecide && (
          <>
            <Group gap="sm">
              <Button size="xs" loading={decision.isPending} onClick={() => decision.mutate('accept')}>
                {say('review.accept')}
              </Button>
              <Button size="xs" variant="default" onClick={() => decision.mutate('dismiss')}>
                {say('review.dismiss')}
              </Button>
            </Group>
            <Text size="xs">{say('review.help')}</Text>
          </>
        )}
        <ProblemMessage error={decision.error} />
      </Stack>
    </section>
  )
}
