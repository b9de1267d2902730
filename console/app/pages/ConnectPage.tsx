import { Alert, Button, Group, Select, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import {
  agreeToConnection,
  type ConnectingProgram,
  type ConnectionRequest,
  connectionRequestQuery,
  refuseConnection,
} from '../api/agents.ts'
import { Problem } from '../api/problem.ts'
import { nameWith } from '../api/sandbox.ts'
import { may, type Session, sessionQuery, switchOrganization } from '../api/session.ts'
import { OtherTabs, tellOrganization } from '../components/OtherTabs.tsx'
import { ConnectScopeFields } from '../forms/ScopeFields.tsx'
import { useSay } from '../text/text.tsx'
import { LinkText } from '../ui/Links.tsx'
import { ProblemMessage, Waiting } from '../ui/Message.tsx'

const route = getRouteApi('/connect')

/**
 * A program to which a person gave our address asks for access. The page has no rail: the person comes from elsewhere, for this
 * one question, and goes back.
 */
export function ConnectPage() {
  const say = useSay()
  const { request = '' } = route.useSearch()
  const session = useQuery(sessionQuery)
  const asked = useQuery(connectionRequestQuery(request, session.data?.organization.id))
  const [doneUrl, setDoneUrl] = useState<string | null>(null)
  useDocumentTitle(`${say('connect.title')} · Nexkit`)
  const faultyUrl = asked.data?.redirect_url ?? null
  // Only after a person has said something: anybody can register an address, and lead here with a request that is not valid.
  useEffect(() => {
    if (doneUrl !== null) window.location.assign(doneUrl)
  }, [doneUrl])
  return (
    <main className="sign-in connect">
      {session.data !== undefined && doneUrl === null && <OtherTabs session={session.data} />}
      <div>
        {doneUrl !== null ? (
          <GoBack url={doneUrl} isConnected={!new URL(doneUrl).searchParams.has('error')} />
        ) : faultyUrl !== null ? (
          <Faulty url={faultyUrl} />
        ) : asked.data === undefined || session.data === undefined ? (
          <Unready error={asked.error ?? session.error} />
        ) : (
          <Question key={session.data.organization.id} asked={asked.data} session={session.data} onDone={setDoneUrl} />
        )}
      </div>
    </main>
  )
}

function Unready({ error }: { error: unknown }) {
  const say = useSay()
  const reason = error instanceof Problem ? error.params.reason : undefined
  return (
    <Stack gap="md">
      <Title order={1}>{say('connect.title')}</Title>
      <Waiting error={error} />
      {typeof reason === 'string' && (
        <Text size="sm" className="quiet">
          {reason}
        </Text>
      )}
      {error !== null && (
        <LinkText to="/" size="sm">
          {say('connect.toConsole')}
        </LinkText>
      )}
    </Stack>
  )
}

/** A program on this computer, or an app, is opened by the browser while this page stays. */
function GoBack({ url, isConnected }: { url: string; isConnected: boolean }) {
  const say = useSay()
  return (
    <Stack gap="md" role="status">
      <Title order={1}>{say(isConnected ? 'connect.done' : 'connect.title')}</Title>
      <Text size="sm">{say('connect.goBack')}</Text>
      <Group gap="sm">
        <Button component="a" href={url}>
          {say('connect.toProgram')}
        </Button>
        {isConnected && (
          <LinkText to="/agents" size="sm">
            {say('connect.toAgents')}
          </LinkText>
        )}
      </Group>
    </Stack>
  )
}

/** The request is invalid. The program is informed by a click on an address that the person sees. */
function Faulty({ url }: { url: string }) {
  const say = useSay()
  const { host, protocol } = new URL(url)
  return (
    <Stack gap="md">
      <Title order={1}>{say('connect.title')}</Title>
      <Alert color="yellow" variant="light" role="alert">
        <Text size="sm">{say('connect.faulty')}</Text>
      </Alert>
      <div className="connect-host">
        <Place words="answered" host={host === '' ? `${protocol}//` : host} />
      </div>
      <Group gap="sm">
        <Button component="a" href={url} variant="default">
          {say('connect.toProgram')}
        </Button>
        <LinkText to="/" size="sm">
          {say('connect.toConsole')}
        </LinkText>
      </Group>
    </Stack>
  )
}

function Question(props: { asked: ConnectionRequest; session: Session; onDone: (url: string) => void }) {
  const say = useSay()
  const { asked, session } = props
  const [scopes, setScopes] = useState(asked.scopes)
  const request = asked.request as string
  const program = asked.program as ConnectingProgram
  const goOn = { onSuccess: ({ redirect_url }: { redirect_url: string }) => props.onDone(redirect_url) }
  const agreeing = useMutation({
    mutationFn: () => agreeToConnection({ request, organization_id: session.organization.id, scopes }),
    ...goOn,
  })
  const refusing = useMutation({ mutationFn: () => refuseConnection(request), ...goOn })
  const mayAgree = may(session, 'agents:manage')
  return (
    <Stack gap="md">
      <Title order={1}>{say('connect.wants', { name: program.name })}</Title>
      <WhoAsks program={program} />
      <Organization session={session} />
      {mayAgree ? (
        <>
          <ConnectScopeFields asked={asked.scopes} value={scopes} onChange={setScopes} />
          <Text size="sm">
            {asked.agent_name === null ? say('connect.careful') : say('connect.again', { name: asked.agent_name })}
          </Text>
        </>
      ) : (
        <Alert color="yellow" variant="light" role="note">
          <Text size="sm" fw={600}>
            {say('connect.mayNot')}
          </Text>
          <Text size="sm">{say('connect.mayNotHelp')}</Text>
        </Alert>
      )}
      <ProblemMessage error={agreeing.error ?? refusing.error} />
      <Group gap="sm">
        {mayAgree && (
          <Button loading={agreeing.isPending} disabled={scopes.length === 0} onClick={() => agreeing.mutate()}>
            {say('connect.agree')}
          </Button>
        )}
        <Button variant="default" loading={refusing.isPending} onClick={() => refusing.mutate()}>
          {say('connect.refuse')}
        </Button>
      </Group>
    </Stack>
  )
}

/** The host first: the name is only what the program says of itself. Who vouches for it does not receive the answer by that. */
function WhoAsks({ program: { host, is_described_there, answered_at } }: { program: ConnectingProgram }) {
  const say = useSay()
  const isElsewhere = is_described_there && answered_at !== host
  const beSure = isElsewhere ? '.elsewhere' : is_described_there ? '.described' : ''
  return (
    <div className="connect-host">
      {is_described_there && <Place words="described" host={host} />}
      {(!is_described_there || isElsewhere) && <Place words={wordsFor(answered_at)} host={answered_at} />}
      <Text size="sm" className="quiet" mt={4}>
        {say(`connect.beSure${beSure}`)}
      </Text>
    </div>
  )
}

const HERE = ['localhost', '127.0.0.1', '[::1]']
const wordsFor = (host: string) => (HERE.includes(host) ? 'here' : host.endsWith('://') ? 'app' : 'answered')

function Place({ words, host }: { words: 'described' | ReturnType<typeof wordsFor>; host: string }) {
  const say = useSay()
  return (
    <>
      <Text size="sm" className="quiet">
        {say(`connect.host.${words}`)}
      </Text>
      <Text fw={600} size="lg" className="mono" style={{ overflowWrap: 'anywhere' }}>
        {host}
      </Text>
    </>
  )
}

function Organization({ session }: { session: Session }) {
  const say = useSay()
  const queries = useQueryClient()
  const { organizations, organization, person } = session
  const choosing = useMutation({
    mutationFn: async (id: string) => {
      await switchOrganization(id)
      tellOrganization(session, id)
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
    },
  })
  return (
    <Stack gap={4}>
      {organizations.length > 1 ? (
        <Select
          label={say('connect.organization')}
          data={organizations.map((one) => ({ value: one.id, label: nameWith(one, say('sandbox.name')) }))}
          value={organization.id}
          allowDeselect={false}
          disabled={choosing.isPending}
          onChange={(id) => id !== null && choosing.mutate(id)}
        />
      ) : (
        <Text size="sm">
          {say('connect.organization')}: <strong>{nameWith(organization, say('sandbox.name'))}</strong>
        </Text>
      )}
      <Text size="xs" className="quiet">
        {say('connect.as', { email: person.email })}
      </Text>
      <ProblemMessage error={choosing.error} />
    </Stack>
  )
}
