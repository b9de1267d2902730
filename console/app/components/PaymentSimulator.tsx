import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { OrderWithPayments } from '../api/orders.ts'
import { type PaymentScenario, paymentScenarios, simulatePayment, simulateRefund } from '../api/simulator.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { rupiah } from '../ui/Money.tsx'

/** Playing the payer, the bank and a forger: what really happens when such a notification comes in. */
export function PaymentSimulator({ order }: { order: OrderWithPayments }) {
  const say = useSay()
  const queries = useQueryClient()
  const payment = order.payments.findLast(({ provider }) => provider === 'simulator')
  const refresh = () => {
    queries.invalidateQueries({ queryKey: ['order', order.id] })
    queries.invalidateQueries({ queryKey: ['order-events', order.id] })
  }
  const play = useMutation({
    mutationFn: (scenario: PaymentScenario) => simulatePayment(payment?.id ?? '', scenario),
    onSettled: refresh,
  })
  const settle = useMutation({
    mutationFn: ({ id, outcome }: { id: string; outcome: 'succeeded' | 'failed' }) => simulateRefund(id, outcome),
    onSettled: refresh,
  })
  if (payment === undefined) return null
  const refunds = order.refunds.filter(({ payment_id, status }) => payment_id === payment.id && status === 'pending')
  return (
    <section className="simulator-panel" aria-label={say('simulator.panel')}>
      <Text size="sm" fw={600}>
        {say('simulator.panel')}
      </Text>
      <Text size="xs" mb="sm">
        {say('simulator.panelHelp')}
      </Text>
      <Group gap={6}>
        {paymentScenarios.map((scenario) => (
          <Button
            key={scenario}
            size="compact-sm"
            variant="default"
            loading={play.isPending && play.variables === scenario}
            disabled={play.isPending}
            onClick={() => play.mutate(scenario)}
          >
            {say(`scenario.${scenario}`)}
          </Button>
        ))}
      </Group>
      {refunds.map(({ id, amount }) => (
        <Group key={id} gap={6} mt="sm">
          <Text size="xs">{say('simulator.refund', { amount: rupiah(amount) })}</Text>
          {(['succeeded', 'failed'] as const).map((outcome) => (
            <Button key={outcome} size="compact-sm" variant="default" onClick={() => settle.mutate({ id, outcome })}>
              {say(`refund.status.${outcome}`)}
            </Button>
          ))}
        </Group>
      ))}
      {play.data !== undefined && (
        <Text size="xs" mt="sm" role="status">
          {say('simulator.answered', { statuses: play.data.notices.map(({ status }) => status).join(', ') })}
        </Text>
      )}
      <ProblemMessage error={play.error ?? settle.error} />
    </section>
  )
}
