import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  type QueryKey,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback, useMemo, useRef } from 'react'
import { type List, type ListPath, type Query, type RowOf, request } from './client.ts'

const PAGE_SIZE = 50

/** Lists that are whole in one answer, and whose changes have no notice, are read again so often while they are on the screen. */
export const REREAD_MS = 1500

/** As it was loaded, beside what its rows have become since. */
type LoadedList<Item> = List<Item> & { loaded?: Item[] }
type Loaded<Item> = InfiniteData<LoadedList<Item>>

const keyOf = (path: string, query: Query) => ['list', path, query] as const

const pagesOf = <Path extends ListPath>(path: Path, query: Query) =>
  infiniteQueryOptions({
    queryKey: keyOf(path, query),
    queryFn: ({ pageParam, signal }) =>
      request<LoadedList<RowOf<Path>>>('GET', path, {
        query: { limit: PAGE_SIZE, ...query, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })

/** Asks for the first page of a list while what shows it is still being made. A list that was read before is shown as it was. */
export function prefetchPages(queries: QueryClient, path: ListPath, query: Query): void {
  if (queries.getQueryData(keyOf(path, query)) === undefined) void queries.prefetchInfiniteQuery(pagesOf(path, query))
}

/**
 * Whether rows of a list have come, or will not. What is shown beside them may wait for that: they come sooner, and what is wrong
 * with their filters is said once.
 */
export function useRowsOutcome(path: ListPath, query: Query): 'awaited' | 'come' | 'failed' {
  const { data, isLoadingError } = useInfiniteQuery({ ...pagesOf(path, query), enabled: false })
  if (data !== undefined) return 'come'
  return isLoadingError ? 'failed' : 'awaited'
}

export type PagesOptions = {
  /** Where the rows are not kept up to date by `useNews`, and none can be clicked. */
  isReadOnFocus?: boolean
}

/**
 * A list that continues by cursor. The position is kept while the page is left and returned to. It is read again only when the
 * reader asks for it: what they are about to click must not move. Changes arrive by `useNews`.
 */
export function usePages<Path extends ListPath>(
  path: Path,
  query: Query,
  { isReadOnFocus = false }: PagesOptions = {},
) {
  const pages = useInfiniteQuery({
    ...pagesOf(path, query),
    refetchOnWindowFocus: isReadOnFocus,
    refetchOnReconnect: isReadOnFocus,
  })
  const { data } = pages
  // The same as long as no row changes, so that rows are not drawn again because others are on their way.
  const items = useMemo(() => data?.pages.flatMap((page) => page.data), [data])
  const loaded = useMemo(() => data?.pages.flatMap((page) => page.loaded ?? page.data), [data])
  // What is on the screen stays valid when only the next page fails: that is shown where the next rows would be.
  const isRestMissing = pages.isFetchNextPageError
  return {
    ...pages,
    path,
    query,
    items,
    loaded,
    error: isRestMissing ? null : pages.error,
    restError: isRestMissing ? pages.error : null,
  }
}

export type Pages<Item> = {
  path: string
  query: Query
  items: Item[] | undefined
  loaded: Item[] | undefined
  refetch: () => Promise<unknown>
}

/** Whether a row that was just read is new to the reader of the list as it was loaded. */
type IsNew<Item> = (row: Item, shown: Item | undefined) => boolean
const isNotShown = (_row: unknown, shown: unknown) => shown === undefined

/** An answer that takes longer than that does not come. */
const LOOK_MS_MAX = 10_000
const LOOK_AGAIN_MS = 2000

/** Changed rows that the newest page does not hold are read one by one, at most so many at a time. */
const SINGLE_ROWS_MAX = 20

/**
 * What has changed in a list since it was loaded. Rows that are shown are replaced where they are, also when the filters no longer
 * match them. New rows are counted by the server's own filters and offered, so that nothing moves on the screen.
 */
export function useNews<Item extends { id: string }>(pages: Pages<Item>, isNew: IsNew<Item> = isNotShown) {
  const queries = useQueryClient()
  const { path, query, items, loaded, refetch } = pages
  const key = keyOf(path, query)
  const newest = useQuery({
    queryKey: ['newest', path, query],
    queryFn: async ({ signal: cancelled }) => {
      const signal = AbortSignal.any([cancelled, AbortSignal.timeout(LOOK_MS_MAX)])
      const list = await request<List<Item>>('GET', path, { query: { limit: PAGE_SIZE, ...query }, signal })
      updateRows(queries, key, list.data)
      return list
    },
    enabled: false,
    // A retry would wait for the window to have the focus and hold up the looks after it.
    retry: false,
    gcTime: 0,
  })
  const lookAt = async (ids: readonly string[]) => {
    const read = await Promise.allSettled(
      ids.slice(0, SINGLE_ROWS_MAX).map((id) => request<Item>('GET', `${path}/${encodeURIComponent(id)}`)),
    )
    updateRows(
      queries,
      key,
      read.flatMap((row) => (row.status === 'fulfilled' ? [row.value] : [])),
    )
  }
  const look = useOneAtATime(async (changedIds) => {
    const { data, isError } = await newest.refetch()
    const isOnScreen = queries.getQueryCache().find({ queryKey: key })?.isActive() === true
    if (isError && isOnScreen) setTimeout(() => look([...changedIds]), LOOK_AGAIN_MS)
    const isAmongNewest = (id: string) => data?.data.some((row) => row.id === id) === true
    const isShown = (id: string) => items?.some((row) => row.id === id) === true
    await lookAt([...changedIds].filter((id) => isShown(id) && !isAmongNewest(id)))
  })
  const count = loaded === undefined ? 0 : countNew(newest.data?.data ?? [], loaded, isNew)
  return {
    /** As it is shown: a page full of news may be only their beginning. */
    count: count < PAGE_SIZE ? String(count) : `${count}+`,
    hasAny: count > 0,
    look,
    show: () => refetch().then(() => newest.refetch()),
  }
}

/** While one look is under way, others wait and are answered together by the next: none is called off by its successor. */
function useOneAtATime(look: (ids: ReadonlySet<string>) => Promise<void>): (ids?: readonly string[]) => Promise<void> {
  const latest = useRef(look)
  latest.current = look
  const asked = useRef<Set<string> | null>(null)
  const isRunning = useRef(false)
  return useCallback(async (ids = []) => {
    asked.current = new Set([...(asked.current ?? []), ...ids])
    if (isRunning.current) return
    isRunning.current = true
    try {
      while (asked.current !== null) {
        const now: Set<string> = asked.current
        asked.current = null
        await latest.current(now)
      }
    } finally {
      isRunning.current = false
    }
  }, [])
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

/** Rows that changed somewhere else, each where it is. */
function updateRows<Item extends { id: string }>(queries: QueryClient, key: QueryKey, rows: readonly Item[]): void {
  const before = queries.getQueryData<Loaded<Item>>(key)
  if (before === undefined) return
  const shown = new Map(before.pages.flatMap((page) => page.data.map((row) => [row.id, row])))
  const changed = rows.filter((row) => {
    const before = shown.get(row.id)
    return before !== undefined && isOther(row, before)
  })
  // Setting the same data again would take away the message that the next page did not come.
  if (changed.length === 0) return
  const byId = new Map(changed.map((row) => [row.id, row]))
  const pages = before.pages.map((page) => ({
    ...page,
    data: page.data.map((one) => byId.get(one.id) ?? one),
    loaded: page.loaded ?? page.data,
  }))
  // The list is as old as it was, for a page that comes back to it.
  const updatedAt = queries.getQueryState(key)?.dataUpdatedAt
  queries.setQueryData<Loaded<Item>>(key, { ...before, pages }, { updatedAt })
}

/** A row that was read alone may say more than one of a list. */
const isOther = <Item extends object>(row: Item, shown: Item): boolean =>
  (Object.keys(shown) as (keyof Item)[]).some((name) => JSON.stringify(row[name]) !== JSON.stringify(shown[name]))

/** One row that the reader has changed or read, in place, in every list that holds it. It is not news to them. */
export function replaceRow<Item extends { id: string }>(queries: QueryClient, path: string, row: Item): void {
  const replaced = (rows: Item[]) => rows.map((one) => (one.id === row.id ? row : one))
  queries.setQueriesData<Loaded<Item>>({ queryKey: ['list', path] }, (before) => {
    if (before === undefined) return before
    const pages = before.pages.map((page) => ({
      ...page,
      data: replaced(page.data),
      ...(page.loaded && { loaded: replaced(page.loaded) }),
    }))
    return { ...before, pages }
  })
}
