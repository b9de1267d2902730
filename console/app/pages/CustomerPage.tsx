import '../work.css'
import { Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { contactQuery, nameOf } from '../api/chats.ts'
import { type Customer, lastChatQuery } from '../api/customers.ts'
import { renameContact } from '../api/notes.ts'
import { usePages } from '../api/pages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { EraseCustomer, ErasurePage } from '../components/EraseCustomer.tsx'
import { NewRows } from '../components/NewRows.tsx'
import { NoteList } from '../components/Notes.tsx'
import { OrderRows } from '../components/OrderRows.tsx'
import { Team } from '../components/PersonPane.tsx'
import { useSay } from '../text/text.tsx'
import { CopyButton, Id } from '../ui/Copy.tsx'
import { Facts } from '../ui/Detail.tsx'
import { Face } from '../ui/Face.tsx'
import { InlineEdit } from '../ui/InlineEdit.tsx'
import { LinkButton } from '../ui/Links.tsx'
import { Waiting } from '../ui/Message.tsx'
import { Money } from '../ui/Money.tsx'
import { MoreRows } from '../ui/MoreRows.tsx'
import { Columns, Figure, Page, Section } from '../ui/Page.tsx'
import { Time } from '../ui/Time.tsx'

const route = getRouteApi('/inside/customers/$id')

/** One customer at their address, or the report of their erasure. */
export function CustomerPage() {
  const { erasure } = route.useSearch()
  return erasure === undefined ? <KnownCustomer /> : <ErasurePage id={erasure} />
}

/** Who they are, and everything they ordered. */
function KnownCustomer() {
  const say = useSay()
  const { id } = route.useParams()
  const navigate = route.useNavigate()
  const { data: session } = useQuery(sessionQuery)
  const customer = useQuery(contactQuery(id))
  const parent = { to: '/customers', text: say('nav.customers') }
  if (customer.data === undefined)
    return (
      <Page title={say('customers.one')} parent={parent}>
        <Waiting error={customer.error} onRetry={() => customer.refetch()} />
      </Page>
    )
  const { data } = customer
  const { phone } = data
  return (
    <Page
      title={nameOf(data)}
      parent={parent}
      state={<Face name={data.name} seed={data.id} size={32} radius="50%" />}
      acts={
        <Group gap="sm">
          <ChatLink customer={data} />
          {phone !== null && may(session, 'orders:write') && (
            <LinkButton to="/orders/new" search={{ phone, name: data.name ?? '' }}>
              {say('orders.create')}
            </LinkButton>
          )}
        </Group>
      }
    >
      <Columns
        side={
          <Stack gap="lg">
            <About customer={data} />
            <ChatTeam customer={data} />
            <Section title={say('notes.title')}>
              <NoteList contactId={data.id} />
            </Section>
            {may(session, 'contacts:erase') && (
              <Group>
                <EraseCustomer
                  customer={data}
                  onStarted={(erasure) => navigate({ search: { erasure }, replace: true })}
                />
              </Group>
            )}
          </Stack>
        }
      >
        {may(session, 'orders:read') &&
          (phone === null ? (
            <Text size="sm" className="quiet">
              {say('customers.noPhone')}
            </Text>
          ) : (
            <Orders phone={phone} />
          ))}
      </Columns>
    </Page>
  )
}

/** By what the network knows them. */
const referenceOf = ({ phone, identities }: Customer) => phone ?? identities[0]?.value ?? ''

function ChatLink({ customer }: { customer: Customer }) {
  const say = useSay()
  const chat = useQuery(lastChatQuery(referenceOf(customer)))
  if (chat.data === undefined) return null
  return (
    <LinkButton to="/chats" search={{ open: chat.data.id }} variant="default">
      {say('orders.toChat')}
    </LinkButton>
  )
}

/** Labels and assignee of the chat that was active last. */
function ChatTeam({ customer }: { customer: Customer }) {
  const say = useSay()
  const chat = useQuery(lastChatQuery(referenceOf(customer)))
  const queries = useQueryClient()
  const { data: session } = useQuery(sessionQuery)
  if (chat.data === undefined || !may(session, 'chats:write')) return null
  return (
    <Section title={say('customers.labels')}>
      <Team
        chat={chat.data}
        onChanged={() => queries.invalidateQueries({ queryKey: lastChatQuery(referenceOf(customer)).queryKey })}
      />
    </Section>
  )
}

function About({ customer }: { customer: Customer }) {
  const say = useSay()
  const queries = useQueryClient()
  const { data: session } = useQuery(sessionQuery)
  const rename = async (name: string | null) => {
    queries.setQueryData(contactQuery(customer.id).queryKey, await renameContact(customer.id, name))
  }
  return (
    <Facts
      facts={[
        [
          say('customers.name'),
          <InlineEdit
            key="name"
            label={say('customers.name')}
            value={customer.name}
            onSave={may(session, 'chats:write') ? rename : null}
          />,
        ],
        ...customer.identities.map(({ type, value }): [string, React.ReactNode] => [
          say(`identity.${type}`),
          <Group key={value} gap={2} wrap="nowrap">
            <span className="figures">{type === 'username' ? `@${value}` : value}</span>
            <CopyButton value={value} />
          </Group>,
        ]),
        [say('customers.since'), <Time key="since" at={customer.created_at} />],
        [say('list.id'), <Id key="id" id={customer.id} />],
      ]}
    />
  )
}

function Orders({ phone }: { phone: string }) {
  const say = useSay()
  const orders = usePages('/api/proxy/orders', { phone })
  const received = orders.items?.reduce((sum, order) => sum + order.amount_paid - order.amount_returned, 0)
  return (
    <Stack gap="md">
      <Group gap="xl">
        <Figure name={say('customers.orders')}>
          {orders.items?.length ?? '—'}
          {orders.hasNextPage && '+'}
        </Figure>
        <Figure name={say('customers.received')}>
          <Money amount={received} />
        </Figure>
      </Group>
      <Section title={say('nav.orders')}>
        <NewRows kind="event" types={/^(order|payment|refund)\./} pages={orders} />
        <OrderRows orders={orders.items} error={orders.error} />
        {orders.items?.length === 0 && (
          <Text size="sm" className="quiet" py="md">
            {say('chats.noOrders')}
          </Text>
        )}
        <MoreRows pages={orders} />
      </Section>
    </Stack>
  )
}
