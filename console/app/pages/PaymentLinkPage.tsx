import '../work.css'
import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { usePages } from '../api/pages.ts'
import { type PaymentLink, paymentLinkQuery, updatePaymentLink } from '../api/payment-links.ts'
import { may, sessionQuery } from '../api/session.ts'
import { amountText, CopyLink, LinkQr, LinkState, saveQr } from '../components/LinkParts.tsx'
import { NewRows } from '../components/NewRows.tsx'
import { OrderRows } from '../components/OrderRows.tsx'
import { PaymentLinkForm } from '../forms/PaymentLinkForm.tsx'
import { useSay, useText } from '../text/text.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { CopyButton, Id } from '../ui/Copy.tsx'
import { Facts } from '../ui/Detail.tsx'
import { FormModal } from '../ui/form-guard.tsx'
import { ProblemMessage, Waiting } from '../ui/Message.tsx'
import { Money } from '../ui/Money.tsx'
import { MoreRows } from '../ui/MoreRows.tsx'
import { Columns, Figure, Page, Section } from '../ui/Page.tsx'
import { exactTime, Time } from '../ui/Time.tsx'

const route = getRouteApi('/inside/payment-links/$id')

/** One payment link at its address: how to share it, what it takes, and the orders it created. */
export function PaymentLinkPage() {
  const say = useSay()
  const { id } = route.useParams()
  const link = useQuery(paymentLinkQuery(id))
  const parent = { to: '/payment-links', text: say('nav.links') }
  if (link.data === undefined)
    return (
      <Page title={say('nav.links')} parent={parent}>
        <Waiting error={link.error} onRetry={() => link.refetch()} />
      </Page>
    )
  const { data } = link
  return (
    <Page title={data.title} parent={parent} state={<LinkState status={data.status} />} acts={<LinkActs link={data} />}>
      <Columns side={<About link={data} />}>
        <Stack gap="md">
          <Group gap="xl">
            <Figure name={say('links.amount')}>{amountText(say, data)}</Figure>
            <Figure name={say('links.payments')}>{data.paid_count}</Figure>
            <Figure name={say('links.received')}>
              <Money amount={data.amount_received} />
            </Figure>
          </Group>
          {data.description !== null && <Text size="sm">{data.description}</Text>}
          <Orders link={data} />
        </Stack>
      </Columns>
    </Page>
  )
}

function LinkActs({ link }: { link: PaymentLink }) {
  const say = useSay()
  const { show } = route.useSearch()
  const navigate = route.useNavigate()
  const turn = (value?: string) => navigate({ search: value === undefined ? {} : { show: value } })
  const queries = useQueryClient()
  const { data: session } = useQuery(sessionQuery)
  const mayWrite = may(session, 'orders:write')
  const keep = (changed: PaymentLink) => {
    queries.setQueryData(paymentLinkQuery(link.id).queryKey, changed)
    queries.invalidateQueries({ queryKey: ['list', '/api/proxy/payment-links'] })
    turn()
  }
  const change = useMutation({
    mutationFn: (active: boolean) => updatePaymentLink(link.id, { active }),
    onSuccess: keep,
  })
  return (
    <>
      <CopyLink url={link.url} />
      <Button variant="default" onClick={() => turn('qr')}>
        {say('links.qr')}
      </Button>
      {mayWrite && (
        <Button variant="default" onClick={() => turn('edit')}>
          {say('links.change')}
        </Button>
      )}
      {mayWrite &&
        link.status !== 'paid' &&
        (link.active ? (
          <Button variant="light" color="red" onClick={() => turn('deactivate')}>
            {say('links.deactivate')}
          </Button>
        ) : (
          <Button variant="default" loading={change.isPending} onClick={() => change.mutate(true)}>
            {say('links.activate')}
          </Button>
        ))}
      <Modal
        opened={show === 'qr'}
        onClose={() => turn()}
        title={link.title}
        closeButtonProps={{ 'aria-label': say('act.close') }}
      >
        <Stack gap="sm" align="center">
          <LinkQr link={link} />
          <Text size="sm" className="quiet" ta="center">
            {say('links.qrHelp')}
          </Text>
          <Button variant="default" onClick={() => saveQr(link)}>
            {say('links.download')}
          </Button>
        </Stack>
      </Modal>
      <FormModal opened={mayWrite && show === 'edit'} onClose={() => turn()} title={say('links.edit')}>
        <PaymentLinkForm link={link} onDone={keep} />
      </FormModal>
      <Confirm
        isOpen={mayWrite && show === 'deactivate'}
        title={say('links.sure', { title: link.title })}
        consequence={say('links.consequence')}
        act={say('links.deactivate')}
        isPending={change.isPending}
        error={change.error}
        onConfirm={() => change.mutate(false)}
        onClose={() => turn()}
      />
    </>
  )
}

function About({ link }: { link: PaymentLink }) {
  const say = useSay()
  const { language } = useText()
  const { methods } = link
  return (
    <Facts
      facts={[
        [
          say('links.address'),
          <Group key="address" gap={2} wrap="nowrap">
            <Anchor href={link.url} target="_blank" rel="noopener noreferrer" size="sm">
              {say('links.visit')}
            </Anchor>
            <CopyButton value={link.url} label={say('links.copy')} />
          </Group>,
        ],
        [say('links.uses'), say(link.single_use ? 'links.single' : 'links.many')],
        [
          say('links.methods'),
          methods === null ? say('links.methodsAll') : methods.map((method) => say(`method.${method}`)).join(', '),
        ],
        [say('links.expires'), link.expires_at === null ? say('links.never') : exactTime(link.expires_at, language)],
        [say('list.created'), <Time key="created" at={link.created_at} />],
        [say('list.id'), <Id key="id" id={link.id} />],
      ]}
    />
  )
}

function Orders({ link }: { link: PaymentLink }) {
  const say = useSay()
  const orders = usePages('/api/proxy/orders', { payment_link_id: link.id })
  return (
    <Section title={say('links.orders')}>
      <NewRows kind="event" types={/^(order|payment|refund)\./} pages={orders} />
      <ProblemMessage error={orders.error} onRetry={() => orders.refetch()} />
      <OrderRows orders={orders.items} error={orders.error} />
      {orders.items?.length === 0 && (
        <Text size="sm" className="quiet" py="md">
          {say('links.noOrders')}
        </Text>
      )}
      <MoreRows pages={orders} />
    </Section>
  )
}
