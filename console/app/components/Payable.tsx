import { Anchor, Group, Stack, Text } from '@mantine/core'
import { mediaUrl } from '../api/messages.ts'
import { isLive, type Payment } from '../api/orders.ts'
import { isTextKey, type Say, useFailureSay, useSay } from '../text/text.tsx'
import { channelName } from '../ui/brands.ts'
import { CopyButton } from '../ui/Copy.tsx'
import { Countdown } from '../ui/Time.tsx'
import { AttemptState } from './OrderStates.tsx'

/** What the newest attempt is paid with: the code, the account number, or how to transfer. */
export function Payable({ payment }: { payment: Payment }) {
  const say = useSay()
  const failureSay = useFailureSay()
  const isQrShown = payment.qris !== null && isLive(payment)
  const bank = payment.channel === null ? '' : ` · ${channelName(payment.channel)}`
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
        <Proofs proofs={payment.proofs} />
        <PayLink url={payment.pay_url} />
      </Stack>
    </div>
  )
}

/** Files by which the customer shows that they paid. */
function Proofs({ proofs }: Pick<Payment, 'proofs'>) {
  const say = useSay()
  if (proofs.length === 0) return null
  return (
    <Stack gap={4}>
      <Text size="sm">{say('payment.proofs')}</Text>
      <Group gap="sm">
        {proofs.map(({ message_id, media_id, mime_type, filename }) => (
          <Anchor key={message_id} href={mediaUrl(media_id)} target="_blank" rel="noopener noreferrer" size="sm">
            {mime_type?.startsWith('image/') ? (
              <img className="proof" src={mediaUrl(media_id)} alt={say('payment.proof')} loading="lazy" />
            ) : (
              (filename ?? say('payment.proof'))
            )}
          </Anchor>
        ))}
      </Group>
    </Stack>
  )
}

export function PayLink({ url }: { url: string }) {
  const say = useSay()
  return (
    <Group gap={4} wrap="nowrap">
      <Anchor href={url} target="_blank" rel="noopener noreferrer" size="sm" truncate>
        {say('payment.page')}
      </Anchor>
      <CopyButton value={url} label={say('payment.copyPage')} />
    </Group>
  )
}

/** Everything that has to be typed into a bank's app, each with its copy. */
function Numbers({ payment }: { payment: Payment }) {
  const say = useSay()
  const { virtual_account: account, bill, retail } = payment
  const numbers: ([string, string] | false)[] = [
    account !== null && [say('payment.account'), account.number],
    retail !== null && [say('payment.code'), retail.payment_code],
    bill !== null && [say('payment.biller'), bill.biller_code],
    bill !== null && [say('payment.billKey'), bill.bill_key],
    ...Object.entries(payment.instructions ?? {})
      .filter(([name]) => name !== 'pay_with')
      .map(([name, value]): [string, string] => [instructionName(name, say), value]),
  ]
  return numbers
    .filter((one) => one !== false)
    .map(([name, value]) => (
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

/** What a manual account calls its parts; one that is not known here is shown by its own name. */
function instructionName(name: string, say: Say): string {
  const key = `instruction.${name}`
  return isTextKey(key) ? say(key) : name.replaceAll('_', ' ')
}
