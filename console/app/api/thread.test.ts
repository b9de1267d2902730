import { expect, test } from 'bun:test'
import type { ChatPage } from './chats.ts'
import type { Message } from './messages.ts'
import { mergeFresh } from './thread.ts'

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
