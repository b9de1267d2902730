import '../work.css'
import { getRouteApi } from '@tanstack/react-router'
import { PaymentBook, RefundBook, SettlementBook } from '../components/BookLists.tsx'
import { SalesReportView } from '../components/SalesReportView.tsx'
import { StatementBook } from '../components/StatementBook.tsx'
import { useSay } from '../text/text.tsx'
import type { FilteredProps } from '../ui/Filters.tsx'
import { Page } from '../ui/Page.tsx'
import { PageTabs } from '../ui/PageTabs.tsx'

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
      <PageTabs
        names={TABS}
        shown={shown}
        labelOf={(name) => say(`books.${name}`)}
        onChange={(name) => navigate({ search: { tab: name } })}
      >
        <View filters={filters} onFilter={(values) => navigate({ search: { ...values, tab: shown } })} />
      </PageTabs>
    </Page>
  )
}
