import { Alert, Button, Card, Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  changePaymentAccount,
  connectorsQuery,
  type PaymentAccount,
  paymentAccountsQuery,
  probePaymentAccount,
} from '../api/settings.ts'
import { ConnectionForm } from '../forms/ConnectionForm.tsx'
import { NewPaymentAccountForm } from '../forms/NewPaymentAccountForm.tsx'
import { useSay } from '../text/text.tsx'
import { channelName, connectorName } from '../ui/brands.ts'
import { CopyButton } from '../ui/Copy.tsx'
import { Detail, Facts } from '../ui/Detail.tsx'
import { EmptyMessage, ProblemMessage, Waiting } from '../ui/Message.tsx'
import { State } from '../ui/State.tsx'
import { Time } from '../ui/Time.tsx'
import { ConnectionActs } from './ConnectionActs.tsx'

/** Payment accounts: which provider serves which method, and where it sends its notifications. */
export function PaymentAccountList({ isChangeable }: { isChangeable: boolean }) {
  const say = useSay()
  const accounts = useQuery(paymentAccountsQuery)
  // One drawer at a time: the list stays in reach beside it, and a second would open behind the first.
  const [open, setOpen] = useState<string | null>(null)
  const close = () => setOpen(null)
  return (
    <Stack gap="md">
      <ProblemMessage error={accounts.error} onRetry={() => accounts.refetch()} />
      {accounts.data?.data.length === 0 && (
        <EmptyMessage
          picture="order"
          guide="connect-midtrans"
          title={say('payments.empty')}
          detail={say('payments.emptyHelp')}
        />
      )}
      {accounts.data?.data.map((account) => (
        <AccountCard
          key={account.id}
          account={account}
          isChangeable={isChangeable}
          onChange={() => setOpen(account.id)}
        />
      ))}
      {isChangeable && (
        <Group>
          <Button variant="default" onClick={() => setOpen(NEW)}>
            {say('payments.connect')}
          </Button>
        </Group>
      )}
      <Detail title={say('payments.connect')} isOpen={open === NEW} onClose={close}>
        <NewPaymentAccountForm onCreated={close} />
      </Detail>
      <AccountChange account={accounts.data?.data.find(({ id }) => id === open)} onClose={close} />
    </Stack>
  )
}

const NEW = 'new'

function AccountCard(props: { account: PaymentAccount; isChangeable: boolean; onChange: () => void }) {
  const say = useSay()
  const { account, isChangeable, onChange } = props
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" mb="sm">
        <Text fw={600} size="sm">
          {account.name}
        </Text>
        <State state={account.state} />
      </Group>
      <Facts
        facts={[
          [say('payments.provider'), connectorName(account.provider)],
          [
            say('payments.methods'),
            account.methods
              .map(({ method, channels }) => {
                const name = say(`method.${method}`)
                const named = channels.flatMap(({ channel }) => channel ?? [])
                return named.length === 0 ? name : `${name} (${named.map(channelName).join(', ')})`
              })
              .join(', '),
          ],
          account.webhook_url !== null && [
            say('numbers.webhookUrl'),
            <Group key="hook" gap={4} wrap="nowrap">
              <span className="mono">{account.webhook_url}</span>
              <CopyButton value={account.webhook_url} />
            </Group>,
          ],
          account.webhook_url !== null && [
            say('payments.lastNotice'),
            <Time key="notice" at={account.last_notice_at} />,
          ],
        ]}
      />
      {account.last_error !== null && (
        <Alert color="yellow" variant="light" mt="sm" p="sm">
          <Text size="sm">{account.last_error.detail}</Text>
        </Alert>
      )}
      {isChangeable && <AccountActs account={account} onChange={onChange} />}
    </Card>
  )
}

function AccountActs({ account, onChange }: { account: PaymentAccount; onChange: () => void }) {
  const say = useSay()
  const queries = useQueryClient()
  const isOn = account.state === 'active'
  return (
    <ConnectionActs
      isOn={isOn}
      probe={() => probePaymentAccount(account.id)}
      flip={() => changePaymentAccount(account.id, { state: isOn ? 'paused' : 'active' })}
      onFlipped={() => queries.invalidateQueries({ queryKey: paymentAccountsQuery.queryKey })}
    >
      <Button size="xs" variant="default" onClick={onChange}>
        {say('webhooks.change')}
      </Button>
    </ConnectionActs>
  )
}

function AccountChange({ account, onClose }: { account: PaymentAccount | undefined; onClose: () => void }) {
  const say = useSay()
  const queries = useQueryClient()
  const connectors = useQuery({ ...connectorsQuery, enabled: account !== undefined })
  const fields = connectors.data?.payments.find(({ provider }) => provider === account?.provider)?.fields
  return (
    <Detail title={`${say('webhooks.change')}: ${account?.name}`} isOpen={account !== undefined} onClose={onClose}>
      {account === undefined || fields === undefined ? (
        <Waiting error={connectors.error} />
      ) : (
        <ConnectionForm
          key={account.id}
          name={account.name}
          connector={account.provider}
          fields={fields}
          settings={account.settings}
          save={(change) => changePaymentAccount(account.id, change)}
          onDone={() => {
            queries.invalidateQueries({ queryKey: paymentAccountsQuery.queryKey })
            onClose()
          }}
        />
      )}
    </Detail>
  )
}
