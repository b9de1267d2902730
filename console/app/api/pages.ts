import { useInfiniteQuery } from '@tanstack/react-query'
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
