import { expect, test } from 'bun:test'
import { QueryClient } from '@tanstack/react-query'
import type { Chat } from '../api/chats.ts'
import { replaceChat } from './chat-changes.ts'

const aChat = (id: string, unread: number) => ({ id, unread_count: unread }) as Chat
const page = (...data: Chat[]) => ({ object: 'list' as const, data, has_more: false, next_cursor: null })
const key = (query: object) => ['list', '/api/proxy/chats', query]

test('a chat that changed is replaced where it stands, in every list that shows it', () => {
  const queries = new QueryClient()
  const lists = { pages: [page(aChat('a', 0), aChat('b', 3)), page(aChat('c', 1))], pageParams: [undefined, 'next'] }
  queries.setQueryData(key({}), lists)
  queries.setQueryData(key({ unread: 'true' }), { pages: [page(aChat('b', 3))], pageParams: [undefined] })
  replaceChat(queries, aChat('b', 0))
  const shown = (query: object) =>
    queries
      .getQueryData<typeof lists>(key(query))
      ?.pages.map(({ data }) => data.map(({ id, unread_count }) => `${id}${unread_count}`))
  expect(shown({})).toEqual([['a0', 'b0'], ['c1']])
  expect(shown({ unread: 'true' })).toEqual([['b0']])
})

test('lists of other things stay as they are', () => {
  const queries = new QueryClient()
  const orders = { pages: [page(aChat('b', 3))], pageParams: [undefined] }
  queries.setQueryData(['list', '/api/proxy/orders', {}], orders)
  replaceChat(queries, aChat('b', 0))
  expect(queries.getQueryData<typeof orders>(['list', '/api/proxy/orders', {}])).toBe(orders)
})
