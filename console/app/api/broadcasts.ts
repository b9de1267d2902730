import { queryOptions } from '@tanstack/react-query'
import type * as Sdk from '../../../sdk/src/generated/types.ts'
import { call } from './client.ts'
import type { Closed } from './generated.ts'

export type Broadcast = Closed<Sdk.Broadcast>
export type BroadcastRecipient = Closed<Sdk.BroadcastRecipient>
export type NewBroadcast = Sdk.NewBroadcast
export type BroadcastAct = 'start' | 'pause' | 'resume' | 'cancel'

export const BROADCASTS = '/api/proxy/broadcasts'

const LOOK_AGAIN_MS = 2_000

/** While it runs, its counts move. */
export const broadcastQuery = (id: string) =>
  queryOptions({
    queryKey: ['broadcast', id],
    queryFn: ({ signal }) => call('GET /api/proxy/broadcasts/{id}', { params: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? LOOK_AGAIN_MS : false),
  })

/** The path of one report, which has the rows of the route. */
export const recipientsPath = (id: string) =>
  `/api/proxy/broadcasts/${id}/recipients` as '/api/proxy/broadcasts/{id}/recipients'

export const createBroadcast = (body: NewBroadcast, idempotencyKey: string) =>
  call('POST /api/proxy/broadcasts', { body, idempotencyKey })

export const actOnBroadcast = (id: string, act: BroadcastAct) =>
  call(`POST /api/proxy/broadcasts/{id}/${act}`, { params: { id } })
