import { ActionIcon, Group, Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useMatches } from '@tanstack/react-router'
import { useState } from 'react'
import { findTwin, isInSandbox, otherOrganizations } from '../api/sandbox.ts'
import { may, type Session, sessionQuery } from '../api/session.ts'
import { useSay, useText } from '../text/text.tsx'
import { Face } from '../ui/Face.tsx'
import { Icon } from '../ui/Icon.tsx'
import { LinkMenuItem } from '../ui/MenuLink.tsx'
import { EmptyMessage } from '../ui/Message.tsx'
import { Page } from '../ui/Page.tsx'
import { UnreadBadge, useAlerts } from './Alerts.tsx'
import { CommandPalette } from './CommandPalette.tsx'
import { Live } from './Live.tsx'
import { allowedGroups, findRefused } from './navigation.ts'
import { leave, OtherTabs, SignedOutDialog } from './OtherTabs.tsx'
import { RestoredWorkBanner } from './RestoredWork.tsx'
import { SandboxBanner, SandboxSwitch, useOrganizationChange } from './Sandbox.tsx'
import { Shortcuts } from './Shortcuts.tsx'
import { useApprovalNews, WaitingBadge } from './WaitingApprovals.tsx'

/** The rail, the banner and the palette around every page. */
export function Frame() {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const [isMapOpen, setMapOpen] = useState(false)
  useApprovalNews()
  useAlerts()
  return (
    <>
      <a className="skip" href="#content">
        {say('nav.skip')}
      </a>
      <div className="frame">
        <Rail session={session} onSearch={() => setPaletteOpen(true)} />
        <div style={{ minWidth: 0 }}>
          {session !== undefined && <Banner session={session} />}
          {session !== undefined && may(session, 'settings:manage') && <RestoredWorkBanner />}
          {session !== undefined && <Live organizationId={session.organization.id} place={session.live_place} />}
          <main className="content" id="content">
            <AllowedPage session={session} />
          </main>
        </div>
        <BottomBar session={session} onSearch={() => setPaletteOpen(true)} />
      </div>
      <CommandPalette isOpen={isPaletteOpen} setOpen={setPaletteOpen} />
      <Shortcuts isOpen={isMapOpen} setOpen={setMapOpen} />
      <SignedOutDialog />
      {session !== undefined && <OtherTabs session={session} />}
    </>
  )
}

/** What a role does not reach is said once for the whole page, instead of by each of its parts. */
function AllowedPage({ session }: { session: Session | undefined }) {
  const say = useSay()
  const address = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' })
  const refused = session === undefined ? null : findRefused(session, address)
  if (session === undefined || refused === null) return <Outlet />
  return (
    <Page title={say(refused.text)}>
      <EmptyMessage
        title={say('page.refused')}
        detail={say('page.refusedHelp', { role: say(`role.${session.organization.role}`) })}
      />
    </Page>
  )
}

function Banner({ session }: { session: Session }) {
  if (isInSandbox(session)) return <SandboxBanner session={session} />
  return session.organization.is_simulated && <SimulatorBanner mayConnect={may(session, 'settings:manage')} />
}

function SimulatorBanner({ mayConnect }: { mayConnect: boolean }) {
  const say = useSay()
  return (
    <aside className="banner" aria-label={say('banner.label')}>
      {say('banner.simulator')} {mayConnect && <Link to="/settings">{say('banner.connect')}</Link>}
    </aside>
  )
}

function Rail({ session, onSearch }: { session: Session | undefined; onSearch: () => void }) {
  const say = useSay()
  return (
    <nav className="rail" aria-label={say('app.name')}>
      <OrganizationSwitcher session={session} />
      {session !== undefined && <SandboxSwitch session={session} />}
      <UnstyledButton className="search-button" onClick={onSearch}>
        <Icon name="search" size={15} />
        <span>{say('nav.search')}</span>
        <kbd>⌘K</kbd>
      </UnstyledButton>
      <div className="rail-pages">
        {allowedGroups(session).map((group) => (
          <div key={group.text}>
            <div className="rail-group">{say(group.text)}</div>
            {group.items.map((item) => (
              <Link key={item.to} to={item.to} activeOptions={{ exact: item.to === '/', includeSearch: false }}>
                <Icon name={item.icon} />
                {say(item.text)}
                {item.counts === 'waiting' && <WaitingBadge />}
                {item.counts === 'unread' && <UnreadBadge />}
              </Link>
            ))}
          </div>
        ))}
      </div>
      <PersonMenu session={session} />
    </nav>
  )
}

function OrganizationSwitcher({ session }: { session: Session | undefined }) {
  if (session === undefined) return null
  const hasOthers = otherOrganizations(session).length > 0
  return (
    <Menu position="bottom-start" width={260} disabled={!hasOthers}>
      <Menu.Target>
        <UnstyledButton className="switcher">
          <Face size={26} radius="sm" name={session.organization.name} />
          <Text size="sm" fw={600} truncate flex={1} title={session.organization.name}>
            {session.organization.name}
          </Text>
          {hasOthers && <Icon name="switch" size={16} />}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <OtherOrganizations session={session} />
      </Menu.Dropdown>
    </Menu>
  )
}

/** Those that can be changed to. */
function OtherOrganizations({ session }: { session: Session }) {
  const say = useSay()
  const change = useOrganizationChange(session)
  return otherOrganizations(session).map(({ id, name, role }) => (
    <Menu.Item key={id} onClick={() => change(id)} rightSection={<span className="quiet">{say(`role.${role}`)}</span>}>
      {name}
    </Menu.Item>
  ))
}

/** On a phone, where the rail with its switch is not shown. */
function OtherSide({ session }: { session: Session }) {
  const say = useSay()
  const change = useOrganizationChange(session)
  const twin = findTwin(session)
  if (twin === null) return null
  return (
    <Menu.Item onClick={() => change(twin)}>{say(isInSandbox(session) ? 'sandbox.leave' : 'sandbox.open')}</Menu.Item>
  )
}

function PersonMenu({ session }: { session: Session | undefined }) {
  const { say, language, setLanguage } = useText()
  const { toggleColorScheme } = useMantineColorScheme()
  if (session === undefined) return null
  return (
    <Group gap={4} wrap="nowrap">
      <Menu position="top-start" width={220}>
        <Menu.Target>
          <UnstyledButton className="switcher">
            <Face size={26} radius="xl" name={session.person.name} />
            <div style={{ minWidth: 0 }}>
              <Text size="xs" fw={600} truncate>
                {session.person.name}
              </Text>
              <Text size="xs" className="quiet" truncate>
                {say(`role.${session.organization.role}`)}
              </Text>
            </div>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <LinkMenuItem to="/account">{say('person.account')}</LinkMenuItem>
          <Menu.Item onClick={() => setLanguage(language === 'en' ? 'id' : 'en')}>{say('person.language')}</Menu.Item>
          <Menu.Divider />
          <Menu.Item onClick={leave}>{say('person.signOut')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ActionIcon variant="subtle" color="gray" onClick={() => toggleColorScheme()} aria-label={say('person.theme')}>
        <Icon name="sun" />
      </ActionIcon>
    </Group>
  )
}

/** On a phone: what staff need at the thumb, the rest behind "more". */
function BottomBar({ session, onSearch }: { session: Session | undefined; onSearch: () => void }) {
  const { say, language, setLanguage } = useText()
  const { toggleColorScheme } = useMantineColorScheme()
  const [work, ...others] = allowedGroups(session)
  const shown = work?.items.filter(({ isSecond }) => !isSecond) ?? []
  const rest = [...(work?.items ?? []).filter(({ isSecond }) => isSecond), ...others.flatMap((group) => group.items)]
  return (
    <nav className="bottom-bar" aria-label={say('app.name')}>
      {shown.map((item) => (
        <Link key={item.to} to={item.to} activeOptions={{ exact: item.to === '/', includeSearch: false }}>
          <Icon name={item.icon} />
          {say(item.text)}
          {item.counts === 'waiting' && <WaitingBadge />}
          {item.counts === 'unread' && <UnreadBadge />}
        </Link>
      ))}
      <Menu position="top-end" width={230}>
        <Menu.Target>
          <button type="button">
            <Icon name="more" />
            {say('nav.more')}
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          {rest.map((item) => (
            <LinkMenuItem key={item.to} to={item.to} leftSection={<Icon name={item.icon} />}>
              {say(item.text)}
            </LinkMenuItem>
          ))}
          <Menu.Item leftSection={<Icon name="search" />} onClick={onSearch}>
            {say('nav.search')}
          </Menu.Item>
          <Menu.Divider />
          {session !== undefined && <OtherSide session={session} />}
          {session !== undefined && <OtherOrganizations session={session} />}
          <LinkMenuItem to="/account">{say('person.account')}</LinkMenuItem>
          <Menu.Item onClick={() => setLanguage(language === 'en' ? 'id' : 'en')}>{say('person.language')}</Menu.Item>
          <Menu.Item onClick={() => toggleColorScheme()}>{say('person.theme')}</Menu.Item>
          <Menu.Item onClick={leave}>{say('person.signOut')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </nav>
  )
}
