import '../work.css'
import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { usePages } from '../api/pages.ts'
import type { PaymentLink } from '../api/payment-links.ts'
import { may, sessionQuery } from '../api/session.ts'
import { ExportButton } from '../components/CsvButtons.tsx'
import { amountText, LinkState } from '../components/LinkParts.tsx'
import { useCreatedColumn, useStateColumn } from '../components/ListColumns.tsx'
import { PaymentLinkForm } from '../forms/PaymentLinkForm.tsx'
import { useSay } from '../text/text.tsx'
import { Code } from '../ui/Code.tsx'
import { CopyButton } from '../ui/Copy.tsx'
import { Filters } from '../ui/Filters.tsx'
import { FormModal } from '../ui/form-guard.tsx'
import { Icon } from '../ui/Icon.tsx'
import { EmptyMessage, ProblemMessage } from '../ui/Message.tsx'
import { Money } from '../ui/Money.tsx'
import { MoreRows } from '../ui/MoreRows.tsx'
import { Page } from '../ui/Page.tsx'
import { Rows } from '../ui/Rows.tsx'

const route = getRouteApi('/inside/payment-links')

const EXAMPLE = `curl ${window.location.origin}/api/public/v1/payment-links \\
  -H "Authorization: Bearer $NEXKIT_KEY" -H 'Content-Type: application/json' \\
  -d '{"title":"Kelas barista","amount":150000}'`

/** Pages to pay on without an order, and what they received. */
export function PaymentLinksPage() {
  const say = useSay()
  const { open, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: session } = useQuery(sessionQuery)
  const mayWrite = may(session, 'orders:write')
  const links = usePages('/api/proxy/payment-links', filters, { isReadOnFocus: true })
  const create = (
    <Button
      leftSection={<Icon name="plus" size={16} />}
      onClick={() => navigate({ search: { ...filters, open: 'new' } })}
    >
      {say('links.create')}
    </Button>
  )
  return (
    <Page
      title={say('nav.links')}
      acts={
        <>
          <ExportButton path="/api/proxy/payment-links" query={filters} name="payment-links.csv" />
          {mayWrite && create}
        </>
      }
    >
      <Filters
        values={filters}
        onChange={(search) => navigate({ search })}
        filters={[
          {
            name: 'active',
            label: say('list.state'),
            kind: 'choice',
            choices: [
              { value: 'true', label: say('links.filter.active') },
              { value: 'false', label: say('links.filter.inactive') },
            ],
            width: 220,
          },
        ]}
      />
      <ProblemMessage error={links.error} onRetry={() => links.refetch()} />
      <LinkRows links={links.items} error={links.error} />
      {links.items?.length === 0 &&
        (filters.active !== undefined ? (
          <EmptyMessage title={say('list.noMatch')} />
        ) : (
          <EmptyMessage
            picture="link"
            guide="share-a-payment-link"
            title={say('links.empty')}
            detail={say('links.emptyHelp')}
          >
            <Code text={EXAMPLE} />
            {mayWrite && create}
          </EmptyMessage>
        ))}
      <MoreRows pages={links} />
      <FormModal
        opened={mayWrite && open === 'new'}
        onClose={() => navigate({ search: filters })}
        title={say('links.create')}
      >
        <PaymentLinkForm
          link={null}
          onDone={({ id }) => {
            links.refetch()
            navigate({ to: '/payment-links/$id', params: { id }, search: {} })
          }}
        />
      </FormModal>
    </Page>
  )
}

function LinkRows({ links, error }: { links: PaymentLink[] | undefined; error: unknown }) {
  const say = useSay()
  const created = useCreatedColumn<PaymentLink>()
  const state = useStateColumn<PaymentLink>(
    ({ status }) => <LinkState status={status} />,
    ({ amount_received }) => amount_received,
  )
  return (
    <Rows
      label={say('nav.links')}
      rows={links}
      error={error}
      idOf={({ id }) => id}
      linkOf={({ id }) => ({ to: '/payment-links/$id', params: { id } })}
      columns={[
        {
          title: say('links.name'),
          cell: (link) => (
            <>
              <Text size="sm" truncate maw={{ base: 170, sm: 300 }}>
                {link.title}
              </Text>
              <Text size="xs" className="quiet figures" hiddenFrom="sm">
                {amountText(say, link)}
              </Text>
            </>
          ),
        },
        {
          title: say('links.amount'),
          cell: (link) => <span className="figures">{amountText(say, link)}</span>,
          isShort: true,
          isWide: true,
        },
        {
          title: say('links.uses'),
          cell: ({ single_use, paid_count }) => (
            <span className="figures">{single_use ? say('links.single') : paid_count}</span>
          ),
          isNumber: true,
          isWide: true,
        },
        state,
        {
          title: say('links.received'),
          cell: ({ amount_received }) => <Money amount={amount_received} />,
          isNumber: true,
          isWide: true,
        },
        created,
        {
          title: say('links.address'),
          cell: ({ url }) => (
            <Group justify="flex-end">
              <CopyButton value={url} label={say('links.copy')} />
            </Group>
          ),
          isNumber: true,
        },
      ]}
    />
  )
}
