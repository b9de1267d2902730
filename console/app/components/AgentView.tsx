import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Agent, CreatedAgent, Limits } from '../api/agents.ts'
import { may, sessionQuery } from '../api/session.ts'
import { numbersQuery } from '../api/settings.ts'
import { useSay } from '../text/text.tsx'
import { Id } from '../ui/Copy.tsx'
import { Facts } from '../ui/Detail.tsx'
import { LinkButton } from '../ui/Links.tsx'
import { rupiah } from '../ui/Money.tsx'
import { Section } from '../ui/Page.tsx'
import { State } from '../ui/State.tsx'
import { Time } from '../ui/Time.tsx'
import { AgentActs } from './AgentActs.tsx'
import { agentSentence, operationWords, ruleWords } from './agent-words.ts'

/** One agent: what it may do in a sentence, what can be done about it, and everything that is set. */
export function AgentView(props: { agent: Agent; onEdit: () => void; onCreated: (created: CreatedAgent) => void }) {
  const say = useSay()
  const { agent } = props
  return (
    <Stack gap="lg">
      <Text size="sm">{agentSentence(say, agent)}</Text>
      {agent.connection !== null && <ConnectedAs connection={agent.connection} />}
      <AgentActs {...props} />
      <About agent={agent} />
      {agent.rules.length > 0 && (
        <Section title={say('agents.rules')}>
          <Facts facts={agent.rules.map((rule) => [operationWords(say, rule.operation), ruleWords(say, rule)])} />
        </Section>
      )}
      <Section title={say('agents.bounds')}>
        <Bounds agent={agent} />
      </Section>
      <Related agent={agent} />
    </Stack>
  )
}

function About({ agent }: { agent: Agent }) {
  const say = useSay()
  const whenKnown = (name: string, at: string | null): [string, ReactNode][] =>
    at === null ? [] : [[name, <Time key={name} at={at} />]]
  return (
    <Facts
      facts={[
        [say('list.state'), <State key="state" state={agent.state} word={say(`agents.state.${agent.state}`)} />],
        [say('agents.purpose'), agent.purpose ?? '—'],
        [say('agents.owner'), agent.owner === null ? '—' : `${agent.owner.name} · ${agent.owner.email}`],
        [say('list.id'), <Id key="id" id={agent.id} isWhole />],
        ...(agent.key_prefix === null ? [] : [prefix(say('keys.prefix'), agent.key_prefix)]),
        [say('keys.scopes'), agent.scopes.join(', ')],
        [say('keys.lastUsed'), <Time key="used" at={agent.last_used_at} />],
        [say('keys.expires'), agent.expires_at === null ? say('keys.never') : <Time key="end" at={agent.expires_at} />],
        ...whenKnown(say('agents.pausedAt'), agent.paused_at),
        ...whenKnown(say('agents.endedAt'), agent.ended_at),
        [say('list.createdBy'), agent.created_by],
        [say('list.created'), <Time key="created" at={agent.created_at} />],
      ]}
    />
  )
}

const prefix = (name: string, text: string): [string, ReactNode] => [
  name,
  <span key="prefix" className="mono">{`${text}…`}</span>,
]

/** As which program it connected by itself, and by whose word. */
function ConnectedAs({ connection }: { connection: NonNullable<Agent['connection']> }) {
  const say = useSay()
  const { client_name: name, client_host: host, connected_by: person, connected_at: at } = connection
  return (
    <Text size="sm" className="quiet">
      {say('agents.connectedAs', { name, host, person })} <Time at={at} />
    </Text>
  )
}

const counts = ['messages_per_minute', 'recipients_per_day'] as const
const amounts = ['order_amount', 'order_amount_per_day'] as const

/** What it can see and how much it may do, shown also when nothing limits it. */
function Bounds({ agent: { reach, limits, is_anchored } }: { agent: Agent }) {
  const say = useSay()
  const numbers = useQuery(numbersQuery)
  const nameOf = (id: string) => numbers.data?.data.find((number) => number.id === id)?.display_phone ?? id
  const limit = (name: keyof Limits, format: (value: number) => string): [string, string] => [
    say(`agents.limit.${name}`),
    limits[name] === null ? say('agents.noBound') : format(limits[name]),
  ]
  return (
    <Facts
      facts={[
        [say('agents.numbers'), reach.numbers.map(nameOf).join(', ') || say('agents.allNumbers')],
        [say('agents.labels'), reach.labels.join(', ') || say('agents.allChats')],
        [say('agents.days'), reach.days === null ? say('agents.noBound') : String(reach.days)],
        [say('agents.phones'), say(reach.hides_phones ? 'agents.phones.hidden' : 'agents.phones.seen')],
        ...counts.map((name) => limit(name, String)),
        ...amounts.map((name) => limit(name, rupiah)),
        [say('agents.anchored'), say(is_anchored ? 'people.on' : 'people.off')],
      ]}
    />
  )
}

/** What it did, what was done to it, and what it asked for. */
function Related({ agent }: { agent: Agent }) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const look = { size: 'xs', variant: 'default' } as const
  return (
    <Group gap="sm">
      {may(session, 'approvals:decide') && (
        <LinkButton to="/approvals" search={{ show: 'all', agent: agent.id }} {...look}>
          {say('nav.approvals')}
        </LinkButton>
      )}
      {may(session, 'logs:read') && (
        <LinkButton to="/logs" search={{ caller: agent.id }} {...look}>
          {say('nav.logs')}
        </LinkButton>
      )}
      {may(session, 'audit:read') && (
        <>
          <LinkButton to="/audit" search={{ actor: agent.id }} {...look}>
            {say('agents.auditOfIt')}
          </LinkButton>
          <LinkButton to="/audit" search={{ subject: agent.id }} {...look}>
            {say('agents.auditAboutIt')}
          </LinkButton>
        </>
      )}
    </Group>
  )
}
