import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from './client.ts'

export type SavedViewPage = 'chats' | 'orders'
export type SavedView = { name: string; filters: Record<string, string | undefined> }

const viewsQuery = (page: SavedViewPage) =>
  queryOptions({
    queryKey: ['saved-views', page],
    queryFn: ({ signal }) => call('GET /api/console/views/{page}', { params: { page }, signal }),
    staleTime: 60_000,
  })

/** What is not set is no filter. */
const setFilters = (filters: SavedView['filters']) =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as Record<string, string>

/** The views of the person for a page. A change is shown at once and written to the server. */
export function useSavedViews(page: SavedViewPage) {
  const queries = useQueryClient()
  const query = viewsQuery(page)
  const views = useQuery(query)
  const saving = useMutation({
    mutationFn: (saved: readonly SavedView[]) => {
      const data = saved.map(({ name, filters }) => ({ name, filters: setFilters(filters) }))
      return call('PUT /api/console/views/{page}', { params: { page }, body: { data } })
    },
    onSuccess: (saved) => queries.setQueryData(query.queryKey, saved),
  })
  const saved: SavedView[] = views.data?.data ?? []
  return { saved, setSaved: (next: SavedView[]) => saving.mutate(next), error: saving.error }
}
