import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { Routes } from './generated.ts'

/** A program that wants to connect by itself, and what a person says to it. */
export type { ConnectingProgram, ConnectionRequest } from './generated.ts'

/** Asked once for each organization: what is shown is what is agreed to. */
export const connectionRequestQuery = (request: string, organizationId: string | undefined) =>
  queryOptions({
    queryKey: ['connection-request', request, organizationId],
    enabled: organizationId !== undefined,
    queryFn: ({ signal }) => call('GET /api/console/connection-request', { query: { request }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

export const connectionAddressQuery = queryOptions({
  queryKey: ['connection-address'],
  queryFn: ({ signal }) => call('GET /api/console/connection-address', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

export const agreeToConnection = (body: Routes['POST /api/console/connections']['body']) =>
  call('POST /api/console/connections', { body })
export const refuseConnection = (request: string) => call('POST /api/console/connections/refuse', { body: { request } })
