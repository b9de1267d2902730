import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'
import { type Chat, type ChatChange, type ChatPage, changeChat, getChat, labelsQuery } from './chats.ts'
import type { Message } from './messages.ts'
import { replaceRow } from './pages.ts'

/**
 * The messages of a chat, page by page into the past. What is new is put in front of what is there: fetching all pages again
 * for every tick would cost a reader who has scrolled far back one call per page.
 */
type ThreadData = InfiniteData<ChatPage, string | undefined>

const PAGE_SIZE = 40
const keyOf = (chatId: string) => ['thread', chatId] as const

export function useThread(chatId: string) {
  const queries = useQueryClient()
  const thread = useInfiniteQuery({
    queryKey: keyOf(chatId),
    queryFn: ({ pageParam, signal }) => getChat(chatId, { limit: PAGE_SIZE, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.messages.next_cursor ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const refresh = useCallback(() => refreshThread(queries, chatId), [queries, chatId])
  // While another chat was on the screen, this one was not updated.
  useEffect(() => void refresh(), [refresh])
  const messages = useMemo(() => thread.data && oldestFirst(thread.data), [thread.data])
  return { ...thread, chat: thread.data?.pages[0], messages, refresh }
}

function oldestFirst(data: Pick<ThreadData, 'pages'>): Message[] {
  const seen = new Set<string>()
  const newestFirst = data.pages.flatMap((page) => page.messages.data)
  return newestFirst.filter(({ id }) => !seen.has(id) && seen.add(id)).reverse()
}

export async function refreshThread(queries: QueryClient, chatId: string): Promise<void> {
  if (queries.getQueryData(keyOf(chatId)) === undefined) return
  const fresh = await getChat(chatId, { limit: PAGE_SIZE }).catch(() => null)
  if (fresh === null) return
  queries.setQueryData<ThreadData>(keyOf(chatId), (before) => before && mergeFresh(before, fresh))
}

/** Replaces as much of the first page as the fresh one covers. Where the two do not touch, the past is read again. */
export function mergeFresh(before: ThreadData, fresh: ChatPage): ThreadData {
  const [first, ...rest] = before.pages
  if (first === undefined || !fresh.messages.has_more) return { pages: [fresh], pageParams: [undefined] }
  const freshIds = new Set(fresh.messages.data.map(({ id }) => id))
  const old = first.messages.data
  const covered = old.findLastIndex(({ id }) => freshIds.has(id))
  if (covered === -1 && old.length > 0) return { pages: [fresh], pageParams: [undefined] }
  const data = [...fresh.messages.data, ...old.slice(covered + 1)]
  return { ...before, pages: [{ ...fresh, messages: { ...first.messages, data } }, ...rest] }
}

/** One message that has changed, wherever in the thread it is. */
export function patchMessage(queries: QueryClient, message: Message): void {
  queries.setQueryData<ThreadData>(keyOf(message.chat_id), (before) => {
    if (before === undefined) return before
    const pages = before.pages.map((page) => ({
      ...page,
      messages: {
        ...page.messages,
        data: page.messages.data.map((one) => (one.id === message.id ? message : one)),
      },
    }))
    return { ...before, pages }
  })
}

/** A message that was just accepted, before the live stream reports it. */
export function addMessage(queries: QueryClient, message: Message): void {
  queries.setQueryData<ThreadData>(keyOf(message.chat_id), (before) => {
    const [first, ...rest] = before?.pages ?? []
    if (before === undefined || first === undefined) return before
    if (first.messages.data.some(({ id }) => id === message.id)) return before
    const data = [message, ...first.messages.data]
    return { ...before, pages: [{ ...first, messages: { ...first.messages, data } }, ...rest] }
  })
}

/** Labels, assignee or status of the chat have changed: the messages stay. */
export function patchChat(queries: QueryClient, chat: Omit<ChatPage, 'messages'>): void {
  queries.setQueryData<ThreadData>(keyOf(chat.id), (before) => {
    const [first, ...rest] = before?.pages ?? []
    if (before === undefined || first === undefined) return before
    return { ...before, pages: [{ ...chat, messages: first.messages }, ...rest] }
  })
}

export const replaceChat = (queries: QueryClient, chat: Chat) => replaceRow(queries, '/api/proxy/chats', chat)

export function useChatChange(chatId: string, onChanged?: () => void) {
  const queries = useQueryClient()
  return useMutation({
    // One after the other, so that the last action wins.
    scope: { id: `chat ${chatId}` },
    mutationFn: (change: ChatChange) => changeChat(chatId, change),
    onSuccess: (chat, change) => {
      patchChat(queries, chat)
      replaceChat(queries, chat)
      onChanged?.()
      if (change.labels !== undefined) queries.invalidateQueries({ queryKey: labelsQuery.queryKey })
    },
  })
}
