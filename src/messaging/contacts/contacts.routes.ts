import { z } from 'zod'
import { initiatorOf, recordEvents } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import { defineList, placeById } from '../../platform/http/define-list.ts'
import { defineChange, defineRoute, key } from '../../platform/http/define-route.ts'
import { cursorParameter, idSchema, limitParameter, textSchema } from '../../platform/http/schemas.ts'
import { contactNotFound } from '../messaging.errors.ts'
import { contactQuery } from '../search/search.ts'
import { Contact, ContactChange, contactExample } from './contacts.schemas.ts'
import { listContacts } from './contacts.sql.ts'
import { contactChanged, findContactById, giveName, lockPersons, presentContact } from './people.ts'
import type { HomeCountry } from './references.ts'

const TAG = 'Contacts'

const listQuery = z.strictObject({
  limit: limitParameter,
  cursor: cursorParameter,
  q: textSchema(200, 1)
    .optional()
    .meta({ description: 'Search by the start of the name, or the start or end of the phone number.' }),
})

export const contactRoutes = (context: { database: Database; clock: Clock; homeCountry: HomeCountry }) => [
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
  defineChange({
    id: 'updateContact',
    method: 'PATCH',
    path: '/contacts/{id}',
    tag: TAG,
    summary: 'Rename a contact',
    description: 'Sets the name that the team uses. It stays when the customer reports another one; `null` removes it.',
    access: key('chats:write'),
    params: z.object({ id: idSchema('con') }),
    body: ContactChange,
    reply: { status: 200, body: Contact },
    errors: [contactNotFound],
    example: { params: { id: contactExample.id }, body: { name: contactExample.name }, reply: contactExample },
    lock: (tx, { caller, params: { id } }) => lockPersons(tx, caller.orgId, [id as Id<'con'>]),
    async handle({ tx, params: { id }, body: { name }, ...request }) {
      const { orgId } = request.caller
      const [contact] = await lockPersons(tx, orgId, [id as Id<'con'>])
      if (contact === undefined) throw contactNotFound({ params: { id } })
      if (name === undefined || (name === contact.name && contact.is_name_given)) return presentContact(contact)
      const now = context.clock.now()
      const after = await giveName(tx, orgId, contact, name, new Date(now))
      await recordEvents(tx, orgId, [{ ...contactChanged(after), ...initiatorOf(request) }], now)
      return presentContact(after)
    },
  }),
]
