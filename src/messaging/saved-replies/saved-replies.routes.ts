import { z } from 'zod'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { defineList } from '../../platform/http/define-list.ts'
import { defineChange, defineRoute, key } from '../../platform/http/define-route.ts'
import { valueRefused } from '../../platform/http/http.errors.ts'
import { cursorParameter, idSchema, limitParameter, textSchema } from '../../platform/http/schemas.ts'
import { savedReplyNotFound, savedReplyShortcutTaken } from '../messaging.errors.ts'
import { NewSavedReply, SavedReply, SavedReplyChange, savedReplyExample } from './saved-replies.schemas.ts'
import { listSavedReplies } from './saved-replies.sql.ts'
import {
  createSavedReply,
  getSavedReply,
  lockForEdit,
  presentSavedReply,
  removeSavedReply,
  updateSavedReply,
} from './saved-replies.ts'

const TAG = 'Saved replies'

const params = z.object({ id: idSchema('srp') })
const paramsExample = { id: savedReplyExample.id }
const { shortcut, body } = savedReplyExample

export const savedReplyRoutes = ({ database, clock }: { database: Database; clock: Clock }) => [
  defineRoute({
    id: 'createSavedReply',
    method: 'POST',
    path: '/saved-replies',
    tag: TAG,
    summary: 'Create a saved reply',
    description: 'Saves a text that people in the console insert by typing a slash and its shortcut.',
    access: key('chats:write'),
    idempotency: 'transaction',
    body: NewSavedReply,
    reply: { status: 201, body: SavedReply },
    location: ({ id }) => `/saved-replies/${id}`,
    errors: [savedReplyShortcutTaken, valueRefused],
    example: { body: { shortcut, body }, reply: savedReplyExample },
    handle: async ({ tx, body, caller }) => presentSavedReply(await createSavedReply(clock, tx, caller.orgId, body)),
  }),
  defineList({
    id: 'listSavedReplies',
    path: '/saved-replies',
    tag: TAG,
    summary: 'List saved replies',
    description: 'Saved replies in the order of their shortcuts.',
    access: key('chats:read'),
    query: z.strictObject({
      limit: limitParameter,
      cursor: cursorParameter,
      q: textSchema(100, 1).optional().meta({ description: 'Search by a part of the shortcut or the text.' }),
    }),
    item: SavedReply,
    example: { query: { q: 'ready' }, items: [savedReplyExample] },
    list: 'saved_replies',
    sort: 'shortcut',
    read: ({ caller, filters, limit, position }) =>
      listSavedReplies(database, caller.orgId, {
        search: filters.q ?? null,
        after: position === null ? null : String(position[0]),
        limit,
      }),
    place: (row) => [row.shortcut],
    present: (rows) => rows.map(presentSavedReply),
  }),
  defineRoute({
    id: 'getSavedReply',
    method: 'GET',
    path: '/saved-replies/{id}',
    tag: TAG,
    summary: 'Get a saved reply',
    description: 'Returns one saved reply.',
    access: key('chats:read'),
    params,
    reply: { status: 200, body: SavedReply },
    errors: [savedReplyNotFound],
    example: { params: paramsExample, reply: savedReplyExample },
    handle: async ({ caller, params: { id }, queries }) =>
      presentSavedReply(await getSavedReply(queries, caller.orgId, id)),
  }),
  defineChange({
    id: 'updateSavedReply',
    method: 'PATCH',
    path: '/saved-replies/{id}',
    tag: TAG,
    summary: 'Edit a saved reply',
    description: 'Changes the fields you send. Messages that were sent stay as they are.',
    access: key('chats:write'),
    params,
    body: SavedReplyChange,
    reply: { status: 200, body: SavedReply },
    errors: [savedReplyNotFound, savedReplyShortcutTaken, valueRefused],
    example: { params: paramsExample, body: { shortcut }, reply: savedReplyExample },
    lock: (tx, { caller, params: { id } }) => lockForEdit(tx, caller.orgId, id),
    handle: async ({ tx, caller, params: { id }, body: input }) =>
      presentSavedReply(await updateSavedReply(clock, tx, caller.orgId, { id, input })),
  }),
  defineChange({
    id: 'deleteSavedReply',
    method: 'DELETE',
    path: '/saved-replies/{id}',
    tag: TAG,
    summary: 'Delete a saved reply',
    description: 'Messages that were sent stay as they are.',
    access: key('chats:write'),
    params,
    reply: { status: 204, body: null },
    errors: [savedReplyNotFound],
    example: { params: paramsExample, reply: null },
    lock: (tx, { caller, params: { id } }) => lockForEdit(tx, caller.orgId, id),
    async handle({ tx, caller, params: { id } }) {
      await removeSavedReply(tx, caller.orgId, id)
      return undefined
    },
  }),
]
