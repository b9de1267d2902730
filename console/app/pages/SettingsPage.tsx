import { Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { may, sessionQuery } from '../api/session.ts'
import { NumberList } from '../components/NumberList.tsx'
import { PaymentAccountList } from '../components/PaymentAccountList.tsx'
import { SandboxSettings } from '../components/Sandbox.tsx'
import { BusinessHoursForm } from '../forms/BusinessHoursForm.tsx'
import { OrganizationForm } from '../forms/OrganizationForm.tsx'
import { useSay } from '../text/text.tsx'
import { Page } from '../ui/Page.tsx'

const route = getRouteApi('/inside/settings')

const TABS = ['organization', 'hours', 'numbers', 'payments', 'sandbox'] as const

export function SettingsPage() {
  const say = useSay()
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: session } = useQuery(sessionQuery)
  const isChangeable = may(session, 'settings:manage')
  return (
    <Page title={say('nav.settings')}>
      <Tabs
        value={TABS.find((name) => name === tab) ?? 'organization'}
        onChange={(value) => navigate({ search: value ? { tab: value } : {} })}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          <Tabs.Tab value="organization">{say('settings.organization')}</Tabs.Tab>
          <Tabs.Tab value="hours">{say('hours.title')}</Tabs.Tab>
          <Tabs.Tab value="numbers">{say('settings.numbers')}</Tabs.Tab>
          <Tabs.Tab value="payments">{say('settings.payments')}</Tabs.Tab>
          <Tabs.Tab value="sandbox">{say('sandbox.name')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="organization">
          <OrganizationForm isChangeable={isChangeable} />
        </Tabs.Panel>
        <Tabs.Panel value="hours">
          <BusinessHoursForm isChangeable={isChangeable} />
        </Tabs.Panel>
        <Tabs.Panel value="numbers">
          <NumberList isChangeable={isChangeable} />
        </Tabs.Panel>
        <Tabs.Panel value="payments">
          <PaymentAccountList isChangeable={isChangeable} />
        </Tabs.Panel>
        <Tabs.Panel value="sandbox">
          <SandboxSettings />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
