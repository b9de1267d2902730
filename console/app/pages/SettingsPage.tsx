import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { may, sessionQuery } from '../api/session.ts'
import { NumberList } from '../components/NumberList.tsx'
import { PaymentAccountList } from '../components/PaymentAccountList.tsx'
import { SandboxSettings } from '../components/Sandbox.tsx'
import { BusinessHoursForm } from '../forms/BusinessHoursForm.tsx'
import { OrganizationForm } from '../forms/OrganizationForm.tsx'
import { useSay } from '../text/text.tsx'
import { Page } from '../ui/Page.tsx'
import { PageTabs } from '../ui/PageTabs.tsx'

const route = getRouteApi('/inside/settings')

const TABS = ['organization', 'hours', 'numbers', 'payments', 'sandbox'] as const
type Tab = (typeof TABS)[number]

const views: Record<Tab, (props: { isChangeable: boolean }) => ReactNode> = {
  organization: OrganizationForm,
  hours: BusinessHoursForm,
  numbers: NumberList,
  payments: PaymentAccountList,
  sandbox: SandboxSettings,
}

const titles = {
  organization: 'settings.organization',
  hours: 'hours.title',
  numbers: 'settings.numbers',
  payments: 'settings.payments',
  sandbox: 'sandbox.name',
} as const satisfies Record<Tab, string>

export function SettingsPage() {
  const say = useSay()
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: session } = useQuery(sessionQuery)
  const shown = TABS.find((name) => name === tab) ?? 'organization'
  const View = views[shown]
  return (
    <Page title={say('nav.settings')}>
      <PageTabs
        names={TABS}
        shown={shown}
        labelOf={(name) => say(titles[name])}
        onChange={(name) => navigate({ search: { tab: name } })}
      >
        <View isChangeable={may(session, 'settings:manage')} />
      </PageTabs>
    </Page>
  )
}
