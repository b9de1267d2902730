import { z } from 'zod'
import { readAlertChoices, saveAlertChoices } from '../../../alerts/alerts.ts'
import { defineRoute, type Route } from '../../../platform/http/define-route.ts'
import { type AuthRouteParts, authShared } from './auth-question.ts'
import { session } from './session-caller.ts'

/** Which alerts the person gets by e-mail, in every organization. */
const choices = { endpoint: z.boolean(), number: z.boolean(), key: z.boolean(), approval: z.boolean() }
const AlertChoices = z.strictObject(choices)
const AlertSettings = z
  .object({ ...choices, is_mail_on: z.boolean().meta({ description: 'False if this server sends no mail.' }) })
  .meta({ id: 'AlertSettings' })

const example = { endpoint: true, number: true, key: false, approval: true }

export const alertRoutes = ({ people, isMailOn }: AuthRouteParts): Route[] => [
  defineRoute({
    ...authShared,
    id: 'getAlertSettings',
    method: 'GET',
    path: '/alerts',
    summary: 'Which alerts you get by e-mail',
    access: session(null),
    reply: { status: 200, body: AlertSettings },
    example: { reply: { ...example, is_mail_on: true } },
    handle: async ({ caller }) => ({
      ...(await readAlertChoices(people.database, caller.person.id)),
      is_mail_on: isMailOn,
    }),
  }),
  defineRoute({
    ...authShared,
    id: 'changeAlertSettings',
    method: 'POST',
    path: '/alerts',
    summary: 'Choose which alerts you get by e-mail',
    access: session(null),
    body: AlertChoices,
    reply: { status: 200, body: AlertSettings },
    example: { body: example, reply: { ...example, is_mail_on: true } },
    idempotency: 'transaction',
    async handle({ tx, caller, body }) {
      await saveAlertChoices(tx, caller.person.id, body)
      return { ...body, is_mail_on: isMailOn }
    },
  }),
]
