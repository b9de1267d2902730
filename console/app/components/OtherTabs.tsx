import { Button, Group, Modal, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { nameWith } from '../api/sandbox.ts'
import { type Session, signedOutQuery, signOut, switchOrganization } from '../api/session.ts'
import { SignInForm } from '../forms/SignInForm.tsx'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'

/**
 * All tabs of a browser share one session, and with it the organization that is worked in. What one tab does to it, the
 * others hear at once:
 *
 *   signed out             the others ask to sign in, over what is typed there
 *   signed in again        the others go on where they were
 *   another organization   the others stop and ask, because their next act would go to an organization they do not show
 *   another person         the others begin anew
 */
const STORAGE_KEY = 'nexkit-tabs'
type News = { personId: string; organizationId: string } | { isSignedOut: true }

/** The time makes it news even when it says the same as before. */
const tell = (news: News) => localStorage.setItem(STORAGE_KEY, JSON.stringify({ ...news, at: Date.now() }))

/** Signs out, here and in the other tabs. */
export async function leave() {
  await signOut()
  tell({ isSignedOut: true })
  window.location.assign('/console/sign-in')
}

export const tellOrganization = ({ person }: Session, organizationId: string) =>
  tell({ personId: person.id, organizationId })

function readNews(event: StorageEvent): News | null {
  if (event.key !== STORAGE_KEY || event.newValue === null) return null
  return JSON.parse(event.newValue) as News
}

export function OtherTabs({ session }: { session: Session }) {
  const queries = useQueryClient()
  const [otherId, setOtherId] = useState<string | null>(null)
  const shownOther = useRef(otherId)
  shownOther.current = otherId
  const personId = session.person.id
  const ownId = session.organization.id
  useEffect(() => {
    tell({ personId, organizationId: ownId })
    const hear = (event: StorageEvent) => {
      const news = readNews(event)
      if (news === null) return
      if ('isSignedOut' in news) queries.setQueryData(signedOutQuery.queryKey, true)
      else if (news.personId !== personId) window.location.assign('/console/')
      else if (news.organizationId !== ownId) setOtherId(news.organizationId)
      else {
        // A tab that was only opened changes nothing here, and reading the lists again would move their rows.
        const wasStopped = shownOther.current !== null || queries.getQueryData(signedOutQuery.queryKey) === true
        setOtherId(null)
        queries.setQueryData(signedOutQuery.queryKey, false)
        if (wasStopped) queries.invalidateQueries()
      }
    }
    window.addEventListener('storage', hear)
    return () => window.removeEventListener('storage', hear)
  }, [queries, personId, ownId])
  return otherId === null ? null : <Choice session={session} otherId={otherId} onBack={() => setOtherId(null)} />
}

function Choice({ session, otherId, onBack }: { session: Session; otherId: string; onBack: () => void }) {
  const say = useSay()
  const queries = useQueryClient()
  const own = session.organization
  const ownName = nameWith(own, say('sandbox.name'))
  const known = session.organizations.find(({ id }) => id === otherId)
  const other = known === undefined ? otherId : nameWith(known, say('sandbox.name'))
  const back = useMutation({
    mutationFn: () => switchOrganization(own.id),
    onSuccess: () => {
      tellOrganization(session, own.id)
      queries.invalidateQueries()
      onBack()
    },
  })
  return (
    <Modal opened onClose={() => {}} withCloseButton={false} title={say('tabs.title')}>
      <Text size="sm" mb="md">
        {say('tabs.detail', { own: ownName, other })}
      </Text>
      <ProblemMessage error={back.error} />
      <Group gap="sm">
        <Button loading={back.isPending} onClick={() => back.mutate()}>
          {say('tabs.back', { own: ownName })}
        </Button>
        <Button variant="default" onClick={() => window.location.assign('/console/')}>
          {say('tabs.follow', { other })}
        </Button>
      </Group>
    </Modal>
  )
}

/** A session that ended is renewed over the page, so that nothing typed there is lost. */
export function SignedOutDialog() {
  const say = useSay()
  const queries = useQueryClient()
  const { data: isSignedOut } = useQuery(signedOutQuery)
  const done = () => {
    queries.setQueryData(signedOutQuery.queryKey, false)
    queries.invalidateQueries()
  }
  return (
    <Modal opened={isSignedOut === true} onClose={() => {}} withCloseButton={false} title={say('signIn.title')}>
      <Text size="sm" mb="md">
        {say('signIn.again')}
      </Text>
      <SignInForm onDone={done} />
    </Modal>
  )
}
