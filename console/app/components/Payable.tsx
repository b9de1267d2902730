import { Anchor, Group, Stack, Text } from '@mantine/core'
import { isLive, type Payment } from '../api/orders.ts'
import { type Say, useFailureSay, useSay } from '../text/text.tsx'
import { CopyButton } from '../ui/Copy.tsx'
import { Countdown } from '../ui/Countdown.tsx'
import { AttemptState } from './OrderStates.tsx'

/** What the newest attempt is paid with: the code, the account number, or how to transfer. */
export function Payable({ payment }: { payment: Payment }) {
  const say = useSay()
  const failureSay = useFailureSay()
  const isQrShown = payment.qris !== null && isLive(payment)
  const bank = payment.bank === null ? '' : ` · ${payment.bank.toUpperCase()}`
  return (
    <div className="payable" data-qr={isQrShown || undefined}>
      {isQrShown && (
        // The same server answers the page for the payer, whatever name it is reached by here.
        <img src={new URL(payment.qris?.image_url ?? '').pathname} alt={say('payment.qr')} />
      )}
      <Stack gap={6} style={{ minWidth: 0 }}>
        <Text size="sm" fw={600}>
          {say(`method.${payment.method}`)}
          {bank}
        </Text>
        <AttemptState status={payment.status} />
        {payment.error !== null && (
          <Text size="sm" style={{ color: 'var(--bad)' }}>
            {failureSay(payment.error)}
          </Text>
        )}
        <Numbers payment={payment} />
        {isLive(payment) && payment.expires_at !== null && (
          <Text size="sm" component="div">
            {say('payment.expiresIn')} <Countdown until={payment.expires_at} />
          </Text>
        )}
        <Group gap={4} wrap="nowrap">
          <Anchor href={payment.pay_url} target="_blank" rel="noopener noreferrer" size="sm" truncate>
            {say('payment.page')}
          </Anchor>
          <CopyButton value={payment.pay_url} label={say('payment.copyPage')} />
        </Group>
      </Stack>
    </div>
  )
}

/** Everything that has to be typed into a bank's app, each with its copy. */
function Numbers({ payment }: { payment: Payment }) {
  const say = useSay()
  const numbers: [string, string][] = [
    ...(payment.virtual_account === null
      ? []
      : [[say('payment.account'), payment.virtual_account.number] as [string, string]]),
    ...(payment.bill === null
      ? []
      : ([
          [say('payment.biller'), payment.bill.biller_code],
          [say('payment.billKey'), payment.bill.bill_key],
        ] as [string, string][])),
    ...Object.entries(payment.instructions ?? {})
      .filter(([name]) => name !== 'pay_with')
      .map(([name, value]) => [instructionName(name, say), value] as [string, string]),
  ]
  return numbers.map(([name, value]) => (
    <div key={name}>
      <Text size="xs" className="quiet">
        {name}
      </Text>
      <Group gap={4} wrap="nowrap">
        <span className="account-number">{value}</span>
        <CopyButton value={value} />
      </Group>
    </div>
  ))
}

const INSTRUCTIONS = ['bank', 'account_number', 'account_holder', 'reference', 'note'] as const

/** What a manual account calls its parts; one that is not known here is told by its own name. */
const instructionName = (name: string, say: Say) =>
  (INSTRUCTIONS as readonly string[]).includes(name)
    ? say(`instruction.${name as (typeof INSTRUCTIONS)[number]}`)
    : name.replaceAll('_', ' ')
