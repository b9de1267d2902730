import { type InfiniteData, type QueryClient, useInfiniteQuery } from '@tanstack/react-query'
import { type List, type Query, request } from './client.ts'

/** A list that goes on by cursor. The position is kept while the page is left and come back to. */
export function usePages<Item>(path: string, query: Query) {
  const pages = useInfiniteQuery({
    queryKey: ['list', path, query],
    queryFn: ({ pageParam, signal }) =>
      request<List<Item>>('GET', path, { query: { limit: 50, ...query, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })
  // What is on the screen stays good when only the rest does not come: that is told where the rest would be.
  const isRestMissing = pages.isFetchNextPageError
  return {
    ...pages,
    items: pages.data?.pages.flatMap((page) => page.data),
    error: isRestMissing ? null : pages.error,
    restError: isRestMissing ? pages.error : null,
  }
}

/** One row that has changed, in place: a list must not be sorted anew because somebody opened one of its rows. */
export function replaceRow<Item extends { id: string }>(queries: QueryClient, path: string, row: Item): void {
  queries.setQueriesData<InfiniteData<List<Item>>>({ queryKey: ['list', path] }, (before) => {
    if (before === undefined) return before
    const pages = before.pages.map((page) => ({
      ...page,
      data: page.data.map((one) => (one.id === row.id ? row : one)),
    }))
    return { ...before, pages }
  })
}
