import { useQuery } from '@tanstack/react-query'
import { agentsQuery } from '../api/agents.ts'
import { keysQuery } from '../api/keys.ts'
import { teamQuery } from '../api/people.ts'
import { may, sessionQuery } from '../api/session.ts'
import type { EventRecord } from '../api/webhooks.ts'
import { useSay } from '../text/text.tsx'

/** Names a person, key or agent where the reader may know them. */
export function useKnownName(): (id: string) => string | undefined {
  const { data: session } = useQuery(sessionQuery)
  const team = useQuery(teamQuery)
  const keys = useQuery({ ...keysQuery, enabled: may(session, 'keys:manage') })
  const agents = useQuery({ ...agentsQuery, enabled: may(session, 'agents:manage') })
  const named = [...(team.data?.members ?? []), ...(keys.data?.data ?? []), ...(agents.data?.data ?? [])]
  const names = new Map(named.map(({ id, name }) => [id, name]))
  return (id) => names.get(id)
}

/** Names the actor of an event: the person, key or agent where the reader may know them, otherwise the kind of caller. */
export function useActorName(): (actor: EventRecord['actor']) => string {
  const say = useSay()
  const knownName = useKnownName()
  return ({ type, id }) => knownName(id ?? '') ?? say(`actor.${type}`)
}
