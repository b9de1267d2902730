import { z } from 'zod'
import type { Database } from '../../platform/database/database.ts'
import { defineList, placeById } from '../../platform/http/define-list.ts'
import { defineRoute, key } from '../../platform/http/define-route.ts'
import { cursorParameter, idSchema, limitParameter, textSchema } from '../../platform/http/schemas.ts'
import { contactNotFound } from '../messaging.errors.ts'
import { contactQuery } from '../search/search.ts'
import { Contact, contactExample } from './contacts.schemas.ts'
import { listContacts } from './contacts.sql.ts'
import { findContactById, presentContact } from './people.ts'
import type { HomeCountry } from './references.ts'

const TAG = 'Contacts'

const listQuery = z.strictObject({
  limit: limitParameter,
  cursor: cursorParameter,
  q: textSchema(200, 1)
    .optional()
    .meta({ description: 'Search by the start of the name, or the start or end of the phone number.' }),
})

export const contactRoutes = (context: { database: Database; homeCountry: HomeCountry }) => [
  defineList({
    id: 'listContacts',
    path: '/contacts',
    tag: TAG,
    summary: 'List contacts',
    description: 'Every customer you have exchanged messages with, newest first.',
    access: key('chats:read'),
    agentTool: { reads: 'people' },
    query: listQuery,
    item: Contact,
    example: { query: { q: 'sari' }, items: [contactExample] },
    list: 'contacts',
    sort: '-id',
    async read({ caller: { orgId }, filters: { q }, limit, position }) {
      const country = await context.homeCountry(orgId)
      const query = q === undefined ? null : contactQuery(orgId, q, country)
      const before = position === null ? null : String(position[0])
      return q !== undefined && query === null ? [] : listContacts(context.database, orgId, { query, before, limit })
    },
    place: placeById,
    present: (rows) => rows.map(presentContact),
  }),
  defineRoute({
    id: 'getContact',
    method: 'GET',
    path: '/contacts/{id}',
    tag: TAG,
    summary: 'Get a contact',
    description: 'Returns one customer. If contacts were merged, every old id returns the merged contact.',
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
