import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  stringifySearchWith,
} from '@tanstack/react-router'
import { checklistQuery, rangeOf, statisticsQuery } from './api/home.ts'
import { foundMessagesQuery } from './api/messages.ts'
import { orderQueryOf } from './api/order-filters.ts'
import { prefetchPages } from './api/pages.ts'
import { Problem } from './api/problem.ts'
import { sessionQuery } from './api/session.ts'
import { NotFoundPage, TroublePage } from './pages/TroublePage.tsx'

/** The list of pages. The URL holds all state of a page: filters, the opened row, the tab. */
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** These names, where they are set; nothing else stands in the URL. */
const texts =
  <Name extends string>(...names: Name[]) =>
  (search: Record<string, unknown>): { [Key in Name]?: string } => {
    const entries = names.map((name) => [name, text(search[name])] as const)
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as { [Key in Name]?: string }
  }

/** Before a thing had a page, its address was that of its list with "open". */
function toPage(to: '/keys/$id' | '/webhooks/$id' | '/agents/$id', open: string | undefined) {
  if (open !== undefined && open !== 'new') throw redirect({ to, params: { id: open }, replace: true })
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the list of pages, which is better read in one piece.
export function createConsoleRouter(queries: QueryClient) {
  const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage })
  const mustBeSignedIn = async (next: string) => {
    const isSignedOut = (error: unknown) => error instanceof Problem && error.status === 401
    const session = await queries.ensureQueryData(sessionQuery).catch((error) => {
      if (isSignedOut(error)) return null
      throw error
    })
    if (session !== null) return
    location.replace(`/console/sign-in?${new URLSearchParams({ next })}`)
    // Nothing is shown until the browser has left this page.
    await new Promise(() => {})
  }
  const inside = createRoute({
    getParentRoute: () => root,
    id: 'inside',
    component: lazyRouteComponent(() => import('./components/Frame.tsx'), 'Frame'),
    errorComponent: TroublePage,
    beforeLoad: ({ location }) => mustBeSignedIn(location.href),
  })
  const connect = createRoute({
    getParentRoute: () => root,
    path: '/connect',
    component: lazyRouteComponent(() => import('./pages/ConnectPage.tsx'), 'ConnectPage'),
    errorComponent: TroublePage,
    validateSearch: (search: Record<string, unknown>) => texts('request')(search),
    beforeLoad: ({ location }) => mustBeSignedIn(location.href),
  })
  const home = createRoute({
    getParentRoute: () => inside,
    path: '/',
    component: lazyRouteComponent(() => import('./pages/HomePage.tsx'), 'HomePage'),
    validateSearch: (search: Record<string, unknown>) => texts('range')(search),
    loaderDeps: ({ search }) => ({ range: rangeOf(search.range) }),
    // Asked for while the page is being made, which takes longer than the answers.
    loader: ({ deps }) => {
      void queries.prefetchQuery(statisticsQuery(deps.range))
      void queries.prefetchQuery(checklistQuery)
    },
  })
  const chats = createRoute({
    getParentRoute: () => inside,
    path: '/chats',
    component: lazyRouteComponent(() => import('./pages/ChatsPage.tsx'), 'ChatsPage'),
    validateSearch: (search: Record<string, unknown>) =>
      texts('open', 'message', 'pane', 'create', 'q', 'unread', 'status', 'label', 'assignee', 'assigned')(search),
    loaderDeps: ({ search: { open: _, message: __, pane: ___, create: ____, ...filters } }) => filters,
    loader: ({ deps }) => {
      prefetchPages(queries, '/api/proxy/chats', deps)
      if (deps.q !== undefined) void queries.prefetchQuery(foundMessagesQuery(deps.q))
    },
  })
  const orders = createRoute({
    getParentRoute: () => inside,
    path: '/orders',
    component: lazyRouteComponent(() => import('./pages/OrdersPage.tsx'), 'OrdersPage'),
    validateSearch: (search: Record<string, unknown>) =>
      texts('open', 'q', 'status', 'payment_status', 'needs_review', 'phone', 'reference', 'from', 'to')(search),
    loaderDeps: ({ search: { open: _, ...filters } }) => filters,
    loader: ({ deps }) => prefetchPages(queries, '/api/proxy/orders', orderQueryOf(deps)),
    // Links of version 0.1 name the order here.
    beforeLoad: ({ search }: { search: { open?: string } }) => {
      if (search.open !== undefined) throw redirect({ to: '/orders/$id', params: { id: search.open }, replace: true })
    },
  })
  const newOrder = createRoute({
    getParentRoute: () => inside,
    path: '/orders/new',
    component: lazyRouteComponent(() => import('./pages/OrderPage.tsx'), 'NewOrderPage'),
    validateSearch: texts('name', 'phone'),
  })
  const order = createRoute({
    getParentRoute: () => inside,
    path: '/orders/$id',
    component: lazyRouteComponent(() => import('./pages/OrderPage.tsx'), 'OrderPage'),
    validateSearch: texts('act'),
  })
  const paymentLinks = createRoute({
    getParentRoute: () => inside,
    path: '/payment-links',
    component: lazyRouteComponent(() => import('./pages/PaymentLinksPage.tsx'), 'PaymentLinksPage'),
    validateSearch: texts('open', 'active'),
  })
  const paymentLink = createRoute({
    getParentRoute: () => inside,
    path: '/payment-links/$id',
    component: lazyRouteComponent(() => import('./pages/PaymentLinkPage.tsx'), 'PaymentLinkPage'),
    validateSearch: texts('show'),
  })
  const books = createRoute({
    getParentRoute: () => inside,
    path: '/books',
    component: lazyRouteComponent(() => import('./pages/BooksPage.tsx'), 'BooksPage'),
    validateSearch: (search: Record<string, unknown>) => texts('tab', 'status', 'method', 'from', 'to', 'by')(search),
    loaderDeps: ({ search }) => search,
    loader: ({ deps: { tab, ...filters } }) => {
      if (tab === 'payments') prefetchPages(queries, '/api/proxy/payments', orderQueryOf(filters))
    },
  })
  const products = createRoute({
    getParentRoute: () => inside,
    path: '/products',
    component: lazyRouteComponent(() => import('./pages/ProductsPage.tsx'), 'ProductsPage'),
    validateSearch: texts('open', 'q', 'active', 'in_stock'),
  })
  const customers = createRoute({
    getParentRoute: () => inside,
    path: '/customers',
    component: lazyRouteComponent(() => import('./pages/CustomersPage.tsx'), 'CustomersPage'),
    validateSearch: texts('q'),
    loaderDeps: ({ search }) => search,
    loader: ({ deps }) => prefetchPages(queries, '/api/proxy/contacts', deps),
  })
  const customer = createRoute({
    getParentRoute: () => inside,
    path: '/customers/$id',
    component: lazyRouteComponent(() => import('./pages/CustomerPage.tsx'), 'CustomerPage'),
    validateSearch: texts('erasure'),
  })
  const replies = createRoute({
    getParentRoute: () => inside,
    path: '/replies',
    component: lazyRouteComponent(() => import('./pages/RepliesPage.tsx'), 'RepliesPage'),
    validateSearch: texts('open', 'q'),
  })
  const templates = createRoute({
    getParentRoute: () => inside,
    path: '/templates',
    component: lazyRouteComponent(() => import('./pages/TemplatesPage.tsx'), 'TemplatesPage'),
    validateSearch: texts('open', 'number', 'q', 'status'),
  })
  const broadcasts = createRoute({
    getParentRoute: () => inside,
    path: '/broadcasts',
    component: lazyRouteComponent(() => import('./pages/BroadcastsPage.tsx'), 'BroadcastsPage'),
    validateSearch: texts('open'),
  })
  const broadcast = createRoute({
    getParentRoute: () => inside,
    path: '/broadcasts/$id',
    component: lazyRouteComponent(() => import('./pages/BroadcastsPage.tsx'), 'BroadcastPage'),
  })
  const approvals = createRoute({
    getParentRoute: () => inside,
    path: '/approvals',
    component: lazyRouteComponent(() => import('./pages/ApprovalsPage.tsx'), 'ApprovalsPage'),
    validateSearch: texts('show', 'agent'),
  })
  const approval = createRoute({
    getParentRoute: () => inside,
    path: '/approvals/$id',
    component: lazyRouteComponent(() => import('./pages/ApprovalsPage.tsx'), 'ApprovalPage'),
  })
  const keys = createRoute({
    getParentRoute: () => inside,
    path: '/keys',
    component: lazyRouteComponent(() => import('./pages/KeysPage.tsx'), 'KeysPage'),
    validateSearch: (search: Record<string, unknown>) => texts('open')(search),
    beforeLoad: ({ search }) => toPage('/keys/$id', search.open),
  })
  const keyPage = createRoute({
    getParentRoute: () => inside,
    path: '/keys/$id',
    component: lazyRouteComponent(() => import('./pages/KeyPage.tsx'), 'KeyPage'),
    validateSearch: texts('range'),
  })
  const deliveries = createRoute({
    getParentRoute: () => inside,
    path: '/deliveries',
    component: lazyRouteComponent(() => import('./pages/DeliveriesPage.tsx'), 'DeliveriesPage'),
    validateSearch: (search: Record<string, unknown>) =>
      texts('open', 'status', 'endpoint', 'type', 'event', 'test')(search),
    loaderDeps: ({ search: { open: _, ...filters } }) => filters,
    loader: ({ deps }) => prefetchPages(queries, '/api/proxy/deliveries', deps),
  })
  const events = createRoute({
    getParentRoute: () => inside,
    path: '/events',
    component: lazyRouteComponent(() => import('./pages/EventsPage.tsx'), 'EventsPage'),
    validateSearch: (search: Record<string, unknown>) => texts('open', 'types', 'subject', 'test')(search),
    loaderDeps: ({ search: { open: _, ...filters } }) => filters,
    loader: ({ deps }) => prefetchPages(queries, '/api/proxy/events', deps),
  })
  const webhooks = createRoute({
    getParentRoute: () => inside,
    path: '/webhooks',
    component: lazyRouteComponent(() => import('./pages/WebhooksPage.tsx'), 'WebhooksPage'),
    validateSearch: (search: Record<string, unknown>) => texts('open', 'tab')(search),
    beforeLoad: ({ search }) => toPage('/webhooks/$id', search.open),
  })
  const endpointPage = createRoute({
    getParentRoute: () => inside,
    path: '/webhooks/$id',
    component: lazyRouteComponent(() => import('./pages/EndpointPage.tsx'), 'EndpointPage'),
    validateSearch: texts('range'),
  })
  const logs = createRoute({
    getParentRoute: () => inside,
    path: '/logs',
    component: lazyRouteComponent(() => import('./pages/LogsPage.tsx'), 'LogsPage'),
    validateSearch: (search: Record<string, unknown>) =>
      texts('open', 'live', 'q', 'status', 'error_code', 'method', 'caller', 'operation', 'since', 'until')(search),
    loaderDeps: ({ search: { open: _, live: __, ...filters } }) => filters,
    loader: ({ deps }) => prefetchPages(queries, '/api/console/request-logs', deps),
  })
  const explorer = createRoute({
    getParentRoute: () => inside,
    path: '/explorer',
    component: lazyRouteComponent(() => import('./pages/ExplorerPage.tsx'), 'ExplorerPage'),
    validateSearch: texts('operation', 'request'),
  })
  const people = createRoute({
    getParentRoute: () => inside,
    path: '/people',
    component: lazyRouteComponent(() => import('./pages/PeoplePage.tsx'), 'PeoplePage'),
  })
  const agents = createRoute({
    getParentRoute: () => inside,
    path: '/agents',
    component: lazyRouteComponent(() => import('./pages/AgentsPage.tsx'), 'AgentsPage'),
    validateSearch: (search: Record<string, unknown>) => texts('open')(search),
    beforeLoad: ({ search }) => toPage('/agents/$id', search.open),
  })
  const agentPage = createRoute({
    getParentRoute: () => inside,
    path: '/agents/$id',
    component: lazyRouteComponent(() => import('./pages/AgentPage.tsx'), 'AgentPage'),
    validateSearch: texts('edit', 'range'),
  })
  const settings = createRoute({
    getParentRoute: () => inside,
    path: '/settings',
    component: lazyRouteComponent(() => import('./pages/SettingsPage.tsx'), 'SettingsPage'),
    validateSearch: texts('tab'),
  })
  const audit = createRoute({
    getParentRoute: () => inside,
    path: '/audit',
    component: lazyRouteComponent(() => import('./pages/AuditPage.tsx'), 'AuditPage'),
    validateSearch: texts('act', 'subject', 'actor', 'since', 'until', 'open'),
  })
  const account = createRoute({
    getParentRoute: () => inside,
    path: '/account',
    component: lazyRouteComponent(() => import('./pages/AccountPage.tsx'), 'AccountPage'),
  })
  return createRouter({
    routeTree: root.addChildren([
      connect,
      inside.addChildren([
        home,
        chats,
        orders,
        replies,
        templates,
        broadcasts,
        broadcast,
        newOrder,
        order,
        paymentLinks,
        paymentLink,
        books,
        products,
        customers,
        customer,
        approvals,
        approval,
        keys,
        keyPage,
        webhooks,
        endpointPage,
        deliveries,
        logs,
        events,
        explorer,
        people,
        agents,
        agentPage,
        settings,
        audit,
        account,
      ]),
    ]),
    basepath: '/console',
    // Everything in the URL is text and stands there as it is: `?status=404` can be typed by hand. The router's own reader makes
    // numbers of `404` and `1`, and a boolean of `true`.
    parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
    stringifySearch: stringifySearchWith(String),
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
  })
}

export type ConsoleRouter = ReturnType<typeof createConsoleRouter>

declare module '@tanstack/react-router' {
  interface Register {
    router: ConsoleRouter
  }
}
