import { type InfiniteData, type QueryClient, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type List, type Query, request } from './client.ts'

const PAGE_SIZE = 50

export type PagesOptions = {
  /** Never read again because somebody came back to the window: what they are about to click must not move. */
  isStill?: boolean
}

/** A list that goes on by cursor. The position is kept while the page is left and come back to. */
export function usePages<Item>(path: string, query: Query, { isStill = false }: PagesOptions = {}) {
  const pages = useInfiniteQuery({
    queryKey: ['list', path, query],
    queryFn: ({ pageParam, signal }) =>
      request<List<Item>>('GET', path, { query: { limit: PAGE_SIZE, ...query, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    ...(isStill && { refetchOnWindowFocus: false }),
  })
  // What is on the screen stays good when only the rest does not come: that is told where the rest would be.
  const isRestMissing = pages.isFetchNextPageError
  return {
    ...pages,
    path,
    query,
    items: pages.data?.pages.flatMap((page) => page.data),
    error: isRestMissing ? null : pages.error,
    restError: isRestMissing ? pages.error : null,
  }
}

export type Pages<Item> = { path: string; query: Query; items: Item[] | undefined; refetch: () => Promise<unknown> }

/** Whether a row that was just read is new to whom sees the list as it stands. */
type IsNew<Item> = (row: Item, shown: Item | undefined) => boolean
const isNotShown = (_row: unknown, shown: unknown) => shown === undefined

/**
 * What has come to a list since it was read. Looked for beside it, so that it is counted by the server's own filters and moves
 * nothing on the screen.
 */
export function useNews<Item extends { id: string }>(pages: Pages<Item>, isNew: IsNew<Item> = isNotShown) {
  const { path, query, items, refetch } = pages
  const newest = useQuery({
    queryKey: ['newest', path, query],
    queryFn: ({ signal }) => request<List<Item>>('GET', path, { query: { limit: PAGE_SIZE, ...query }, signal }),
    enabled: false,
    gcTime: 0,
  })
  const count = items === undefined ? 0 : countNew(newest.data?.data ?? [], items, isNew)
  return {
    /** As it is told: a page full of news may be only their beginning. */
    count: count < PAGE_SIZE ? String(count) : `${count}+`,
    hasAny: count > 0,
    look: () => newest.refetch(),
    show: () => refetch().then(() => newest.refetch()),
  }
}

/** Rows that would stand above or between those that are shown. What the list would only go on with below them is not new. */
export function countNew<Item extends { id: string }>(
  newest: readonly Item[],
  shown: readonly Item[],
  isNew: IsNew<Item> = isNotShown,
): number {
  const byId = new Map(shown.map((row) => [row.id, row]))
  const isNews = (row: Item) => isNew(row, byId.get(row.id))
  const lastKnown = newest.findLastIndex((row) => !isNews(row))
  return newest.slice(0, lastKnown === -1 ? newest.length : lastKnown).filter(isNews).length
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
