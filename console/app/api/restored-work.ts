import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

/** Work is resumed by a command, which the console hears nothing of. */
const ASK_AGAIN_MS = 3_000

export const restoredWorkQuery = queryOptions({
  queryKey: ['restored-work'],
  queryFn: ({ signal }) => call('GET /api/console/restored-work', { signal }),
  refetchInterval: ({ state }) => (state.data?.is_paused === true ? ASK_AGAIN_MS : false),
})
