import '../work.css'
import { Tabs } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { PaymentBook, RefundBook, SettlementBook } from '../components/BookLists.tsx'
import { SalesReportView } from '../components/SalesReportView.tsx'
import { StatementBook } from '../components/StatementBook.tsx'
import { useSay } from '../text/text.tsx'
import type { FilteredProps } from '../ui/Filters.tsx'
import { Page } from '../ui/Page.tsx'

const route = getRouteApi('/inside/books')

const TABS = ['report', 'payments', 'refunds', 'settlements', 'statements'] as const
type Tab = (typeof TABS)[number]

const views = {
  report: SalesReportView,
  payments: PaymentBook,
  refunds: RefundBook,
  settlements: SettlementBook,
  statements: StatementBook,
} satisfies Record<Tab, (props: FilteredProps) => React.ReactNode>

/** What was received, refunded, charged as a fee and transferred: all that is needed to close a day. */
export function BooksPage() {
  const say = useSay()
  const { tab, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const shown: Tab = TABS.find((name) => name === tab) ?? 'report'
  const View = views[shown]
  return (
    <Page title={say('nav.books')}>
      <Tabs value={shown} onChange={(value) => navigate({ search: { tab: value ?? 'report' } })} keepMounted={false}>
        <Tabs.List mb="lg">
          {TABS.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {say(`books.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={shown}>
          <View filters={filters} onFilter={(values) => navigate({ search: { ...values, tab: shown } })} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
