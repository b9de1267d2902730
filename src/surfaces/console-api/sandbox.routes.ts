import { z } from 'zod'
import type { Organization } from '../../accounts/organizations/organizations.ts'
import { defineRoute, type Route } from '../../platform/http/define-route.ts'
import { idSchema, textSchema, timeSchema } from '../../platform/http/schemas.ts'
import { sandboxRequired } from '../../sandbox/sandbox.errors.ts'
import {
  ADVANCE_SECONDS_MAX,
  advanceClock,
  createSandbox,
  findSandbox,
  getSandbox,
  resetSandbox,
  type SandboxContext,
} from '../../sandbox/sandbox.ts'
import { session } from './sign-in/session-caller.ts'

/** The sandbox of the organization that the person works in, whether they are in the live one or in the sandbox. */
const Sandbox = z
  .object({ id: idSchema('org'), name: textSchema(200), slug: textSchema(63), created_at: timeSchema })
  .meta({ id: 'Sandbox' })

const Advance = z
  .strictObject({
    seconds: z
      .int()
      .min(1)
      .max(ADVANCE_SECONDS_MAX)
      .meta({ description: 'By how much everything that waits in the sandbox comes nearer.' }),
  })
  .meta({ id: 'SandboxAdvance' })

const view = ({ id, name, slug, created_at }: Organization): z.input<typeof Sandbox> => ({
  id,
  name,
  slug,
  created_at: created_at.toISOString(),
})

const example = {
  id: 'org_01kmz3v7n2e0a8tq9fj6hx5c4d',
  name: 'Demo Store',
  slug: 'demo-store-sandbox',
  created_at: '2026-11-14T09:30:00.000Z',
}

const shared = { tag: 'Sandbox', description: 'Of the console.' } as const

export const sandboxRoutes = (context: SandboxContext): Route[] => [
  defineRoute({
    ...shared,
    id: 'getSandbox',
    method: 'GET',
    path: '/sandbox',
    summary: 'Get the sandbox',
    access: session(null),
    reply: { status: 200, body: z.object({ sandbox: Sandbox.nullable() }) },
    example: { reply: { sandbox: example } },
    async handle({ caller: { orgId }, queries }) {
      const sandbox = await findSandbox(queries, orgId)
      return { sandbox: sandbox && view(sandbox) }
    },
  }),
  defineRoute({
    ...shared,
    id: 'createSandbox',
    method: 'POST',
    path: '/sandbox',
    summary: 'Create the sandbox',
    access: session('settings:manage'),
    reply: { status: 201, body: Sandbox },
    example: { reply: example },
    handle: async ({ caller: { orgId } }) => view(await createSandbox(context, orgId)),
  }),
  defineRoute({
    ...shared,
    id: 'resetSandbox',
    method: 'POST',
    path: '/sandbox/reset',
    summary: 'Delete the data of the sandbox',
    access: session('settings:manage'),
    reply: { status: 200, body: Sandbox },
    errors: [sandboxRequired],
    example: { reply: example },
    async handle({ caller: { orgId }, queries }) {
      const sandbox = await getSandbox(queries, orgId)
      return view(await resetSandbox(context, sandbox.id))
    },
  }),
  defineRoute({
    ...shared,
    id: 'advanceSandbox',
    method: 'POST',
    path: '/sandbox/advance',
    summary: 'Move the clock of the sandbox forward',
    access: session('sandbox:advance'),
    body: Advance,
    reply: { status: 200, body: Sandbox },
    errors: [sandboxRequired],
    example: { body: { seconds: 86_400 }, reply: example },
    async handle({ body: { seconds }, caller: { orgId }, queries }) {
      const sandbox = await getSandbox(queries, orgId)
      return view(await advanceClock(context, sandbox.id, seconds))
    },
  }),
]
