import { type InfiniteData, type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { type Chat, type ChatChange, changeChat, labelsQuery } from '../api/chats.ts'
import type { List } from '../api/client.ts'
import { patchChat } from '../api/thread.ts'

/** The row of a chat, in place: a list must not be sorted anew because somebody opened one of its rows. */
export function replaceChat(queries: QueryClient, chat: Chat): void {
  queries.setQueriesData<InfiniteData<List<Chat>>>({ queryKey: ['list', '/api/proxy/chats'] }, (before) => {
    if (before === undefined) return before
    const pages = before.pages.map((page) => ({
      ...page,
      data: page.data.map((one) => (one.id === chat.id ? chat : one)),
    }))
    return { ...before, pages }
  })
}

export function useChatChange(chatId: string) {
  const queries = useQueryClient()
  return useMutation({
    // One after the other: the last thing somebody did is what stays.
    scope: { id: `chat ${chatId}` },
    mutationFn: (change: ChatChange) => changeChat(chatId, change),
    onSuccess: (chat, change) => {
      patchChat(queries, chat)
      replaceChat(queries, chat)
      if (change.labels !== undefined) queries.invalidateQueries({ queryKey: labelsQuery.queryKey })
    },
  })
}
