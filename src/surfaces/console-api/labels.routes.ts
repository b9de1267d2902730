import { z } from 'zod'
import { listLabelsInUse } from '../../messaging/chats/chats.ts'
import type { Database } from '../../platform/database/database.ts'
import { defineRoute, type Route } from '../../platform/http/define-route.ts'
import { textSchema } from '../../platform/http/schemas.ts'
import { session } from './sign-in/session-caller.ts'

/** The labels of chats, so that a person can choose one from a list. */
const Labels = z.object({
  data: z.array(textSchema(50)),
  is_cut: z.boolean().meta({ description: 'There are more than are listed.' }),
})

export const labelRoutes = ({ database }: { database: Database }): Route[] => [
  defineRoute({
    tag: 'Chats',
    description: 'Of the console.',
    access: session(null),
    id: 'listLabels',
    method: 'GET',
    path: '/labels',
    summary: 'List labels of chats',
    reply: { status: 200, body: Labels },
    example: { reply: { data: ['vip'], is_cut: false } },
    async handle({ caller }) {
      const { labels, isCut } = await listLabelsInUse(database, caller.orgId)
      return { data: labels, is_cut: isCut }
    },
  }),
]
