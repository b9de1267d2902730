import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  redirect,
  stringifySearchWith,
} from '@tanstack/react-router'
import { checklistQuery, rangeOf, statisticsQuery } from './api/home.ts'
import { Problem } from './api/problem.ts'
import { sessionQuery } from './api/session.ts'
import { Frame } from './components/Frame.tsx'
import { AccountPage } from './pages/AccountPage.tsx'
import { AgentsPage } from './pages/AgentsPage.tsx'
import { ApprovalPage, ApprovalsPage } from './pages/ApprovalsPage.tsx'
import { AuditPage } from './pages/AuditPage.tsx'
import { ChatsPage } from './pages/ChatsPage.tsx'
import { ConnectPage } from './pages/ConnectPage.tsx'
import { DeliveriesPage } from './pages/DeliveriesPage.tsx'
import { EventsPage } from './pages/EventsPage.tsx'
import { HomePage } from './pages/HomePage.tsx'
import { InvitationPage } from './pages/InvitationPage.tsx'
import { KeysPage } from './pages/KeysPage.tsx'
import { LogsPage } from './pages/LogsPage.tsx'
import { OrdersPage } from './pages/OrdersPage.tsx'
import { PeoplePage } from './pages/PeoplePage.tsx'
import { SettingsPage } from './pages/SettingsPage.tsx'
import { ResetPasswordPage, SignInPage } from './pages/SignInPage.tsx'
import { NotFoundPage, TroublePage } from './pages/TroublePage.tsx'
import { WebhooksPage } from './pages/WebhooksPage.tsx'

/** The list of pages. The URL holds all state of a page: filters, the opened row, the tab. */
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** These names, where they are set; nothing else stands in the URL. */
const texts =
  <Name extends string>(...names: Name[]) =>
  (search: Record<string, unknown>): { [Key in Name]?: string } => {
    const entries = names.map((name) => [name, text(search[name])] as const)
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as { [Key in Name]?: string }
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
    if (session === null) throw redirect({ to: '/sign-in', search: { next } })
  }
  const signIn = createRoute({
    getParentRoute: () => root,
    path: '/sign-in',
    component: SignInPage,
    validateSearch: (search: Record<string, unknown>): { next?: string } => {
      const next = text(search.next)
      return next?.startsWith('/') ? { next } : {}
    },
  })
  const askReset = createRoute({ getParentRoute: () => root, path: '/reset-password', component: ResetPasswordPage })
  const setReset = createRoute({
    getParentRoute: () => root,
    path: '/reset-password/$token',
    component: ResetPasswordPage,
  })
  const invitation = createRoute({ getParentRoute: () => root, path: '/invitations/$token', component: InvitationPage })
  const inside = createRoute({
    getParentRoute: () => root,
    id: 'inside',
    component: Frame,
    errorComponent: TroublePage,
    beforeLoad: ({ location }) => mustBeSignedIn(location.href),
  })
  const connect = createRoute({
    getParentRoute: () => root,
    path: '/connect',
    component: ConnectPage,
    errorComponent: TroublePage,
    validateSearch: (search: Record<string, unknown>) => texts('request')(search),
    beforeLoad: ({ location }) => mustBeSignedIn(location.href),
  })
  const home = createRoute({
    getParentRoute: () => inside,
    path: '/',
    component: HomePage,
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
    component: ChatsPage,
    validateSearch: texts('open', 'pane', 'create', 'q', 'unread', 'status', 'label', 'assignee'),
  })
  const orders = createRoute({
    getParentRoute: () => inside,
    path: '/orders',
    component: OrdersPage,
    validateSearch: texts('open', 'q', 'status', 'payment_status', 'needs_review', 'phone', 'reference', 'from', 'to'),
  })
  const approvals = createRoute({
    getParentRoute: () => inside,
    path: '/approvals',
    component: ApprovalsPage,
    validateSearch: texts('show', 'agent'),
  })
  const approval = createRoute({ getParentRoute: () => inside, path: '/approvals/$id', component: ApprovalPage })
  const keys = createRoute({
    getParentRoute: () => inside,
    path: '/keys',
    component: KeysPage,
    validateSearch: texts('open'),
  })
  const deliveries = createRoute({
    getParentRoute: () => inside,
    path: '/deliveries',
    component: DeliveriesPage,
    validateSearch: texts('open', 'status', 'endpoint', 'type', 'event', 'test'),
  })
  const events = createRoute({
    getParentRoute: () => inside,
    path: '/events',
    component: EventsPage,
    validateSearch: texts('open', 'types', 'subject', 'test'),
  })
  const webhooks = createRoute({
    getParentRoute: () => inside,
    path: '/webhooks',
    component: WebhooksPage,
    validateSearch: texts('open', 'tab'),
  })
  const logs = createRoute({
    getParentRoute: () => inside,
    path: '/logs',
    component: LogsPage,
    validateSearch: texts('open', 'live', 'q', 'status', 'method', 'caller', 'operation', 'since', 'until'),
  })
  const people = createRoute({ getParentRoute: () => inside, path: '/people', component: PeoplePage })
  const agents = createRoute({
    getParentRoute: () => inside,
    path: '/agents',
    component: AgentsPage,
    validateSearch: texts('open', 'edit'),
  })
  const settings = createRoute({
    getParentRoute: () => inside,
    path: '/settings',
    component: SettingsPage,
    validateSearch: texts('tab'),
  })
  const audit = createRoute({
    getParentRoute: () => inside,
    path: '/audit',
    component: AuditPage,
    validateSearch: texts('act', 'subject', 'actor'),
  })
  const account = createRoute({ getParentRoute: () => inside, path: '/account', component: AccountPage })
  return createRouter({
    routeTree: root.addChildren([
      signIn,
      askReset,
      setReset,
      invitation,
      connect,
      inside.addChildren([
        home,
        chats,
        orders,
        approvals,
        approval,
        keys,
        webhooks,
        deliveries,
        logs,
        events,
        people,
        agents,
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
