import { expect, test } from 'bun:test'
import { QueryClient } from '@tanstack/react-query'
import type { Chat, ChatPage } from './chats.ts'
import type { Message } from './messages.ts'
import { mergeFresh, replaceChat } from './thread.ts'

/** Newest first, as the server answers. */
const page = (ids: string, hasMore = true) =>
  ({
    id: 'chat',
    messages: { object: 'list', data: [...ids].map((id) => ({ id }) as Message), has_more: hasMore, next_cursor: null },
  }) as ChatPage
const before = (...pages: string[]) => ({
  pages: pages.map((ids) => page(ids)),
  pageParams: pages.map((_, index) => (index === 0 ? undefined : 'cursor')),
})
const idsOf = ({ pages }: { pages: ChatPage[] }) =>
  pages.map(({ messages }) => messages.data.map(({ id }) => id).join(''))

test('what is new comes in front, and the past that was read stays', () => {
  expect(idsOf(mergeFresh(before('dcb', 'a'), page('fed')))).toEqual(['fedcb', 'a'])
})

test('a message is not shown twice where the two overlap', () => {
  expect(idsOf(mergeFresh(before('dcba'), page('edcb')))).toEqual(['edcba'])
})

test('where the two do not touch, the past is read again, because something is missing between them', () => {
  expect(idsOf(mergeFresh(before('dcb', 'a'), page('zyx')))).toEqual(['zyx'])
})

test('a page that holds everything replaces everything', () => {
  expect(idsOf(mergeFresh(before('cb', 'a'), page('ca', false)))).toEqual(['ca'])
})

const aChat = (id: string, unread: number) => ({ id, unread_count: unread }) as Chat
const listOf = (...data: Chat[]) => ({ object: 'list' as const, data, has_more: false, next_cursor: null })
const key = (query: object) => ['list', '/api/proxy/chats', query]

test('a chat that changed is replaced where it stands, in every list that shows it', () => {
  const queries = new QueryClient()
  const lists = {
    pages: [listOf(aChat('a', 0), aChat('b', 3)), listOf(aChat('c', 1))],
    pageParams: [undefined, 'next'],
  }
  queries.setQueryData(key({}), lists)
  queries.setQueryData(key({ unread: 'true' }), { pages: [listOf(aChat('b', 3))], pageParams: [undefined] })
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
  const orders = { pages: [listOf(aChat('b', 3))], pageParams: [undefined] }
  queries.setQueryData(['list', '/api/proxy/orders', {}], orders)
  replaceChat(queries, aChat('b', 0))
  expect(queries.getQueryData<typeof orders>(['list', '/api/proxy/orders', {}])).toBe(orders)
})
