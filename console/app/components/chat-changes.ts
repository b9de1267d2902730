import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { type Chat, type ChatChange, changeChat, labelsQuery } from '../api/chats.ts'
import { replaceRow } from '../api/pages.ts'
import { patchChat } from '../api/thread.ts'

export const replaceChat = (queries: QueryClient, chat: Chat) => replaceRow(queries, '/api/proxy/chats', chat)

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
