import { queryOptions } from '@tanstack/react-query'
import type { Agent, AgentScope } from './agents.ts'
import { consoleApi } from './client.ts'

/** A program that wants to connect by itself, and what a person says to it. */
export type ConnectingProgram = {
  /** As it calls itself. */
  name: string
  host: string
  /** Whether the host speaks for it, and is not only where the answer goes. */
  is_described_there: boolean
  /** Where the answer goes: the host, unless that only speaks for it. */
  answered_at: string
}

export type ConnectionRequest = {
  /** To be sent back with the decision; null when there is nothing to decide. */
  request: string | null
  program: ConnectingProgram | null
  scopes: AgentScope[]
  /** Of the agent that it is already in this organization. */
  agent_name: string | null
  /** Where to go at once instead. */
  redirect_url: string | null
}

/** Asked once for each organization: what is shown is what is agreed to. */
export const connectionRequestQuery = (request: string, organizationId: string | undefined) =>
  queryOptions({
    queryKey: ['connection-request', request, organizationId],
    enabled: organizationId !== undefined,
    queryFn: ({ signal }) => consoleApi.get<ConnectionRequest>('/connection-request', { request }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

export const connectionAddressQuery = queryOptions({
  queryKey: ['connection-address'],
  queryFn: ({ signal }) => consoleApi.get<{ url: string }>('/connection-address', {}, signal),
  staleTime: Number.POSITIVE_INFINITY,
})

export const agreeToConnection = (agreement: { request: string; organization_id: string; scopes: string[] }) =>
  consoleApi.post<{ agent: Agent; redirect_url: string }>('/connections', agreement)
export const refuseConnection = (request: string) =>
  consoleApi.post<{ redirect_url: string }>('/connections/refuse', { request })
