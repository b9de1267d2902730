import { z } from 'zod'
import { defineRoute, type Route } from '../../platform/http/define-route.ts'
import { countRestoredLanes } from '../../platform/outbox/restored-lanes.ts'
import { session } from './sign-in/session-caller.ts'

/** Whether a restore, an import or a failover paused what the organization sends: the console says so until it is resumed. */
const RestoredWork = z
  .object({ is_paused: z.boolean().meta({ description: 'Nothing is sent until "npx nexkit resume" is run.' }) })
  .meta({ id: 'RestoredWork' })

export const restoredWorkRoutes = (): Route[] => [
  defineRoute({
    id: 'getRestoredWork',
    method: 'GET',
    path: '/restored-work',
    tag: 'Settings',
    summary: 'Whether work is paused since a restore',
    description: 'Of the console.',
    access: session('settings:manage'),
    reply: { status: 200, body: RestoredWork },
    example: { reply: { is_paused: false } },
    handle: async ({ caller, queries }) => ({ is_paused: (await countRestoredLanes(queries, caller.orgId)) > 0 }),
  }),
]
