import { z } from 'zod'
import type { Id } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import { defineRoute, key } from '../../platform/http/define-route.ts'
import { cursorInvalid } from '../../platform/http/http.errors.ts'
import { cursorParameter, idSchema, limitParameter, listOf, textSchema } from '../../platform/http/schemas.ts'
import { contactNotFound } from '../messaging.errors.ts'
import { contactQuery } from '../search/search.ts'
import { presentContact } from './contact-view.ts'
import { Contact, contactExample } from './contacts.schemas.ts'
import { listContacts } from './contacts.sql.ts'
import { findContactById } from './people.ts'
import type { HomeCountry } from './references.ts'

const TAG = 'Contacts'
const LIST_PATH = '/api/public/v1/contacts'

const listQuery = z.strictObject({
  limit: limitParameter,
  cursor: cursorParameter,
  q: textSchema(200, 1)
    .optional()
    .meta({ description: 'Only people whose name begins like this, or whose phone begins or ends like this.' }),
})

export const contactRoutes = (context: { database: Database; homeCountry: HomeCountry }) => [
  defineRoute({
    id: 'listContacts',
    method: 'GET',
    path: '/contacts',
    tag: TAG,
    summary: 'List contacts',
    description: 'Everybody who has written or was written to, newest first.',
    access: key('chats:read'),
    agentTool: { reads: 'people' },
    query: listQuery,
    reply: { status: 200, body: listOf(Contact) },
    errors: [cursorInvalid],
    example: {
      query: { q: 'sari' },
      reply: { object: 'list', data: [contactExample], has_more: false, next_cursor: null, url: LIST_PATH },
    },
    async handle({ caller: { orgId }, query: { limit, cursor, ...filters }, cursors, path }) {
      const scope = { list: 'contacts', sort: '-id', filters: { ...filters, org: orgId } }
      const position = cursor === undefined ? null : cursors.decode(cursor, scope)
      if (position?.ok === false) throw cursorInvalid()
      const country = await context.homeCountry(orgId)
      const query = filters.q === undefined ? null : contactQuery(orgId, filters.q, country)
      const isNothing = filters.q !== undefined && query === null
      const before = position === null ? null : (String(position.position[0]) as Id<'con'>)
      const rows = isNothing ? [] : await listContacts(context.database, orgId, { query, before, limit: limit + 1 })
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      const hasMore = rows.length > limit
      return {
        object: 'list' as const,
        data: page.map(presentContact),
        has_more: hasMore,
        next_cursor: hasMore && last !== undefined ? cursors.encode({ ...scope, position: [last.id] }) : null,
        url: path,
      }
    },
  }),
  defineRoute({
    id: 'getContact',
    method: 'GET',
    path: '/contacts/{id}',
    tag: TAG,
    summary: 'Get a contact',
    description: 'One person. The id of a contact that turned out to be somebody else leads to that person.',
    access: key('chats:read'),
    agentTool: true,
    params: z.object({ id: idSchema('con') }),
    reply: { status: 200, body: Contact },
    errors: [contactNotFound],
    example: { params: { id: contactExample.id }, reply: contactExample },
    async handle({ caller, params }) {
      const contact = await findContactById(context.database, caller.orgId, params.id)
      if (contact === null) throw contactNotFound({ params })
      return presentContact(contact)
    },
  }),
]
