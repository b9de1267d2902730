import { z } from 'zod'
import { listSavedViews, lockSavedViews, replaceSavedViews } from '../../accounts/saved-views/saved-views.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { defineChange, defineRoute, type Route } from '../../platform/http/define-route.ts'
import { textSchema, visibleText } from '../../platform/http/schemas.ts'
import { session } from './sign-in/session-caller.ts'

/** Filters that a person saved under a name. They follow the person to every browser. */
const VIEWS_MAX = 30
const params = z.object({ page: z.enum(['chats', 'orders']) })
const View = z.strictObject({
  name: visibleText(40),
  filters: z.record(textSchema(40, 1), textSchema(300)),
})
const SavedViews = z.strictObject({ data: z.array(View).max(VIEWS_MAX) }).meta({ id: 'SavedViews' })

const example = { data: [{ name: 'VIP', filters: { label: 'vip', status: 'open' } }] }
const shared = {
  tag: 'Settings',
  description: 'Of the console.',
  path: '/views/{page}',
  access: session(null),
  params,
  reply: { status: 200, body: SavedViews },
} as const

export const savedViewRoutes = ({ database, clock }: { database: Database; clock: Clock }): Route[] => [
  defineRoute({
    ...shared,
    id: 'listSavedViews',
    method: 'GET',
    summary: 'List saved views',
    example: { params: { page: 'chats' }, reply: example },
    handle: async ({ caller: { orgId, id }, params: { page } }) => ({
      data: await listSavedViews(database, orgId, { personId: id, page }),
    }),
  }),
  defineChange({
    ...shared,
    id: 'replaceSavedViews',
    method: 'PUT',
    summary: 'Replace saved views',
    body: SavedViews,
    example: { params: { page: 'chats' }, body: example, reply: example },
    lock: (tx, { caller: { orgId, id } }) => lockSavedViews(tx, orgId, id),
    async handle({ tx, caller: { orgId, id }, params: { page }, body: { data } }) {
      await lockSavedViews(tx, orgId, id)
      await replaceSavedViews(tx, orgId, { personId: id, page, views: data, now: new Date(clock.now()) })
      return { data }
    },
  }),
]
