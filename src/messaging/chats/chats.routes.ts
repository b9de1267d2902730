import { z } from 'zod'
import type { Queries } from '../../platform/database/database.ts'
import { answerPage, defineList } from '../../platform/http/define-list.ts'
import { defineChange, defineRoute, key } from '../../platform/http/define-route.ts'
import { cursorInvalid } from '../../platform/http/http.errors.ts'
import type { Caller } from '../../platform/http/pipeline/caller.ts'
import type { CursorPosition } from '../../platform/http/pipeline/cursor.ts'
import { cursorParameter, limitParameter, momentOf, momentSchema, textSchema } from '../../platform/http/schemas.ts'
import type { HomeCountry } from '../contacts/contacts.ts'
import { LINE, messageExample, PUBLISHED_LINE, recipientText } from '../messages/messages.schemas.ts'
import { listThread, presentMessage } from '../messages/messages.ts'
import { chatNotFound } from '../messaging.errors.ts'
import { contactQuery, textQuery } from '../search/search.ts'
import { type ChatFilter, listChats } from './chat-list.sql.ts'
import { numberOfChat, presentChat } from './chat-view.ts'
import { assigneeSchema, Chat, ChatChange, ChatWithMessages, chatExample, labelSchema } from './chats.schemas.ts'
import type { ChatRow } from './chats.sql.ts'
import { type ChatsContext, getChat, lockLiveChat, markRead, updateChat } from './chats.ts'

const TAG = 'Chats'
const LIST_PATH = '/api/public/v1/chats'

const numberParameter = z.string().min(1).max(64).regex(LINE).optional().meta({
  description: 'The business number, by its id, its `phone_number_id` or its phone.',
  pattern: PUBLISHED_LINE,
})

const listQuery = z.strictObject({
  limit: limitParameter,
  cursor: cursorParameter,
  unread: z.boolean().optional().meta({ description: 'Only chats with unread messages, or only those without.' }),
  status: z.enum(['open', 'closed']).optional().meta({ description: 'Only open chats, or only closed ones.' }),
  label: labelSchema.optional().meta({ description: 'Only chats with this label.' }),
  assignee: assigneeSchema.optional().meta({ description: 'Only chats of this assignee.' }),
  assigned: z.boolean().optional().meta({ description: 'Only chats with an assignee, or only those without.' }),
  number: numberParameter,
  q: textSchema(200, 1).optional().meta({
    description:
      'Search by the start of the customer’s name, the start or end of their phone number, or words in messages (all of them must match). A word in more than 10,000 messages finds only some of their chats.',
  }),
  since: momentSchema.optional().meta({ description: 'Only chats with activity at this time or later.' }),
})

type ListQuery = z.output<typeof listQuery>

const chatParams = z.object({
  phone: recipientText.meta({
    description:
      'The customer: a phone number in any usual spelling, the id of the chat, a business-scoped user id, or an @username.',
  }),
})
const oneQuery = z.strictObject({ number: numberParameter })
const threadQuery = z.strictObject({ limit: limitParameter, cursor: cursorParameter, number: numberParameter })
const paramsExample = { phone: '+6281234567890' }
const NUMBERS_SAY =
  'If a customer has chats with several business numbers, the most recently active one is used unless you send `number`.'

export type ChatRoutesContext = ChatsContext & { homeCountry: HomeCountry }

export const chatRoutes = (context: ChatRoutesContext) => [
  defineList({
    id: 'listChats',
    path: '/chats',
    tag: TAG,
    summary: 'List chats',
    description: 'Chats by last activity, newest first, with exact unread counts and the end of the reply window.',
    access: key('chats:read'),
    agentTool: { reads: 'people' },
    query: listQuery,
    item: Chat,
    example: { query: { unread: 'true' }, items: [chatExample] },
    list: 'chats',
    sort: '-last_activity_at',
    async read({ caller, filters, limit, position }) {
      const filter = await filterOf(context, caller, filters)
      const page = { ...filter, ...(position !== null && { before: placeIn(position) }), limit }
      return filter === null ? [] : listChats(context.database, caller.orgId, page)
    },
    place: ({ last_activity_at: at, id }) => [at.toISOString(), id],
    present: (rows) => Promise.all(rows.map((row) => present(context, row))),
  }),
  defineRoute({
    id: 'getChat',
    method: 'GET',
    path: '/chats/{phone}',
    tag: TAG,
    summary: 'Get a chat with its messages',
    description: `Returns one chat with a page of its messages, newest first. ${NUMBERS_SAY}`,
    access: key('chats:read'),
    agentTool: { reads: 'customer_text' },
    params: chatParams,
    query: threadQuery,
    reply: { status: 200, body: ChatWithMessages },
    errors: [chatNotFound, cursorInvalid],
    example: {
      params: paramsExample,
      reply: {
        ...chatExample,
        messages: {
          object: 'list',
          data: [messageExample],
          has_more: false,
          next_cursor: null,
          url: `${LIST_PATH}/+6281234567890`,
        },
      },
    },
    async handle({ caller, params, query: { limit, cursor, number }, cursors, path, queries }) {
      const chat = await find(context, queries, caller, { text: params.phone, number })
      const scope = { list: 'thread', sort: '-happened_at', filters: { chat: chat.id, org: caller.orgId } }
      const messages = await answerPage({ limit, cursor, cursors, path }, scope, {
        read: (page) =>
          listThread(queries, caller.orgId, {
            chatId: chat.id,
            before: page.position === null ? null : placeIn(page.position),
            limit: page.limit,
          }),
        place: ({ happened_at: at, id }) => [at.toISOString(), id],
        present: (rows) => rows.map(presentMessage),
      })
      return { ...(await present(context, chat)), messages }
    },
  }),
  defineChange({
    id: 'updateChat',
    method: 'PATCH',
    path: '/chats/{phone}',
    tag: TAG,
    summary: 'Edit a chat',
    description: `Changes labels, assignee and status. Fields you leave out keep their value. ${NUMBERS_SAY}`,
    access: key('chats:write'),
    agentTool: { decision: 'ask', rank: 4, target: 'chat' },
    params: chatParams,
    query: oneQuery,
    body: ChatChange,
    reply: { status: 200, body: Chat },
    errors: [chatNotFound],
    example: {
      params: paramsExample,
      body: { labels: ['vip'], assignee: 'dewi@example.com' },
      reply: { ...chatExample, assignee: 'dewi@example.com' },
    },
    async lock(tx, { caller, params, query }) {
      const chat = await find(context, tx, caller, { text: params.phone, number: query.number })
      await lockLiveChat(tx, caller.orgId, chat.id)
    },
    async handle({ tx, caller, params, query, body, requestId }) {
      const chat = await find(context, tx, caller, { text: params.phone, number: query.number })
      const change = { actor: actorOf(caller), requestId }
      return present(context, await updateChat(context, tx, { chat, details: body, change }))
    },
  }),
  defineRoute({
    id: 'markChatRead',
    method: 'POST',
    path: '/chats/{phone}/read',
    tag: TAG,
    summary: 'Mark a chat as read',
    description: `Sets the unread count to 0 and shows the customer that the messages were read. ${NUMBERS_SAY}`,
    access: key('chats:write'),
    agentTool: { decision: 'allow', rank: 3, target: 'chat', isAdditive: true },
    idempotency: 'transaction',
    params: chatParams,
    query: oneQuery,
    reply: { status: 200, body: Chat },
    errors: [chatNotFound],
    example: { params: paramsExample, reply: { ...chatExample, unread_count: 0 } },
    async handle({ caller, params, query, tx, requestId }) {
      const chat = await find(context, tx, caller, { text: params.phone, number: query.number })
      const change = { actor: actorOf(caller), requestId }
      return present(context, await markRead(context, tx, { chat, upTo: null, isTyping: false, change }))
    },
  }),
]

const actorOf = ({ type, id }: Caller) => ({ type, id })

const present = async (context: ChatRoutesContext, row: ChatRow) =>
  presentChat(row, await numberOfChat(context.directory, row), context.clock.now())

async function find(
  context: ChatRoutesContext,
  queries: Queries,
  { orgId }: Caller,
  { text, number = null }: { text: string; number?: string | null | undefined },
) {
  return getChat(context, queries, orgId, { text, number, defaultCountry: await context.homeCountry(orgId) })
}

const placeIn = ([at, id]: CursorPosition) => ({ at: new Date(String(at)), id: String(id) })

/** Null when nothing can be found: a number that is not there, a search for nothing. */
async function filterOf(
  context: ChatRoutesContext,
  { orgId }: Caller,
  { unread, status, label, assignee, assigned, number, q, since }: Omit<ListQuery, 'limit' | 'cursor'>,
): Promise<Omit<ChatFilter, 'limit' | 'before'> | null> {
  const on = number === undefined ? undefined : await context.directory.find(orgId, number)
  const byText = q === undefined ? null : textQuery(orgId, q)
  const byContact = q === undefined ? null : contactQuery(orgId, q, await context.homeCountry(orgId))
  if (on === null || (q !== undefined && byContact === null)) return null
  return {
    ...(unread !== undefined && { isUnread: unread }),
    ...(status !== undefined && { status }),
    ...(label !== undefined && { label }),
    ...(assignee !== undefined && { assignee }),
    ...(assigned !== undefined && { isAssigned: assigned }),
    ...(on !== undefined && { numberId: on.id }),
    ...(since !== undefined && { since: momentOf(since) }),
    ...(byText !== null && { textQuery: byText }),
    ...(byContact !== null && { contactQuery: byContact }),
  }
}
