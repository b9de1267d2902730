import { z } from 'zod'
import { type Id, idTime, type OrgId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import { defineList } from '../../platform/http/define-list.ts'
import { defineChange, defineRoute, key } from '../../platform/http/define-route.ts'
import type { CursorPosition } from '../../platform/http/pipeline/cursor.ts'
import { cursorParameter, idSchema, limitParameter, textSchema } from '../../platform/http/schemas.ts'
import { messageNotFound, messageNotScheduled } from '../messaging.errors.ts'
import { textQuery } from '../search/search.ts'
import { presentMessage } from './message-view.ts'
import { Message, messageExample, PUBLISHED_LINE, recipientText } from './messages.schemas.ts'
import { findMessage, type MessageRow, searchMessages } from './messages.sql.ts'
import { cancelMessage, getMessage, holdMessage } from './messages.ts'

const MESSAGES_TAG = 'Messages'

const messageParams = z.object({ id: idSchema('msg') })
const paramsExample = { id: messageExample.id }

const messageQuery = z.strictObject({
  limit: limitParameter,
  cursor: cursorParameter,
  q: textSchema(200, 1).optional().meta({ description: 'Search by the start of words; all of them must match.' }),
  chat: recipientText.optional().meta({
    description:
      'Filter by chat: a phone number in any usual spelling, or any other name that `GET /chats/{phone}` accepts.',
    pattern: PUBLISHED_LINE,
  }),
})

/** `findChatId` finds the chat that a caller names, see `GET /chats/{phone}`; null when there is none. */
export type MessageRoutesContext = {
  database: Database
  findChatId(orgId: OrgId, text: string): Promise<string | null>
}

export const messageRoutes = (context: MessageRoutesContext) => [
  defineList({
    id: 'listMessages',
    path: '/messages',
    tag: MESSAGES_TAG,
    summary: 'Search messages',
    description:
      'Messages in both directions, newest first; with `chat`, in the order of that chat. With `q`, only messages with words that begin with the words you search for.',
    access: key('chats:read'),
    agentTool: { reads: 'customer_text' },
    query: messageQuery,
    item: Message,
    example: { query: { q: 'pesanan siap' }, items: [messageExample] },
    list: 'messages',
    sort: '-id',
    async read({ caller, filters, limit, position }) {
      const query = filters.q === undefined ? null : textQuery(caller.orgId, filters.q)
      const before = position === null ? null : await placeOf(context, caller.orgId, position)
      // If a contact has several chats, use the most recently active one. Later pages stay in the chat of the first page.
      const chat = position?.[1] ?? filters.chat
      const chatId = chat === undefined ? null : await context.findChatId(caller.orgId, String(chat))
      const isNothing = (filters.q !== undefined && query === null) || (chat !== undefined && chatId === null)
      return isNothing ? [] : searchMessages(context.database, caller.orgId, { query, chatId, before, limit })
    },
    place: (row, { filters }) => positionOf(row, filters.chat !== undefined),
    present: (rows) => rows.map(presentMessage),
  }),
  defineRoute({
    id: 'getMessage',
    method: 'GET',
    path: '/messages/{id}',
    tag: MESSAGES_TAG,
    summary: 'Get a message',
    description: 'Returns one message with its status and status history.',
    access: key('chats:read'),
    agentTool: { reads: 'customer_text' },
    params: messageParams,
    reply: { status: 200, body: Message },
    errors: [messageNotFound],
    example: { params: paramsExample, reply: messageExample },
    handle: async ({ caller, params, queries }) => presentMessage(await getMessage(queries, caller.orgId, params.id)),
  }),
  defineChange({
    id: 'cancelMessage',
    method: 'DELETE',
    path: '/messages/{id}',
    tag: MESSAGES_TAG,
    summary: 'Cancel a scheduled message',
    description: 'Cancels and deletes a message that is still scheduled.',
    access: key('messages:send'),
    agentTool: { decision: 'ask', rank: 2, target: 'message' },
    params: messageParams,
    reply: { status: 204, body: null, description: 'Cancelled; it will not be sent.' },
    errors: [messageNotFound, messageNotScheduled],
    example: { params: paramsExample, reply: null },
    lock: (tx, { caller, params }) => holdMessage(tx, caller.orgId, params.id),
    async handle({ tx, caller, params }) {
      await cancelMessage(tx, caller.orgId, params.id)
      return undefined
    },
  }),
]

const positionOf = ({ id, chat_id: chatId, happened_at: at }: MessageRow, isOfChat: boolean) =>
  isOfChat ? [id, chatId, at.toISOString()] : [id]

/**
 * A cursor without a place orders by the id alone, or is older than places in cursors. The place is then read from its
 * message; a scheduled message that was canceled since had its place where it was created.
 */
async function placeOf({ database }: MessageRoutesContext, orgId: OrgId, [first, chatId, at]: CursorPosition) {
  const id = String(first) as Id<'msg'>
  if (at != null) return { id, at: new Date(String(at)) }
  const message = chatId == null ? null : await findMessage(database, orgId, id)
  return { id, at: message?.happened_at ?? idTime(id) }
}
