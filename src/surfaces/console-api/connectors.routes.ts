import { z } from 'zod'
import type { ConnectorMap } from '../../channels/channels-context.ts'
import type { PaymentProviders } from '../../payments/connectors/connectors.ts'
import { defineRoute, type Route } from '../../platform/http/define-route.ts'
import { textSchema } from '../../platform/http/schemas.ts'
import { session } from './sign-in/session-caller.ts'

/**
 * The connectors for numbers and payment accounts, and the fields that each needs; the forms are rendered from this.
 */
export type ConnectorRouteParts = { channels: ConnectorMap; payments: PaymentProviders }

const Field = z
  .object({
    name: textSchema(64),
    label: textSchema(100),
    help: textSchema(500),
    is_secret: z.boolean().meta({ description: 'Goes into `credentials`; everything else into `settings`.' }),
    is_required: z.boolean(),
    is_generated: z.boolean().meta({ description: 'Generated if empty.' }),
    placeholder: textSchema(100).nullable(),
    choices: z.array(textSchema(64)).nullable().meta({ description: 'The values it can have, where they are known.' }),
  })
  .meta({ id: 'ConnectorField' })
const Connectors = z
  .object({
    channels: z.array(z.object({ kind: textSchema(64), name: textSchema(100), fields: z.array(Field) })),
    payments: z.array(
      z.object({ provider: textSchema(64), name: textSchema(100), has_notices: z.boolean(), fields: z.array(Field) }),
    ),
  })
  .meta({ id: 'Connectors' })

type DeclaredField = {
  name: string
  label: string
  help: string
  isSecret: boolean
  isRequired: boolean
  placeholder?: string
  choices?: readonly string[]
  generate?: () => string
  make?: () => string
}

const fieldView = (field: DeclaredField): z.input<typeof Field> => ({
  name: field.name,
  label: field.label,
  help: field.help,
  is_secret: field.isSecret,
  is_required: field.isRequired,
  is_generated: (field.generate ?? field.make) !== undefined,
  placeholder: field.placeholder ?? null,
  choices: field.choices === undefined ? null : [...field.choices],
})

export const connectorRoutes = ({ channels, payments }: ConnectorRouteParts): Route[] => [
  defineRoute({
    id: 'listConnectors',
    method: 'GET',
    path: '/connectors',
    tag: 'Settings',
    summary: 'List connectors',
    description: 'Of the console. In a sandbox, only what can be connected there.',
    access: session(null),
    reply: { status: 200, body: Connectors },
    example: { reply: { channels: [], payments: [] } },
    handle({ caller: { orgId, memberships } }) {
      const isSandbox = memberships.some(({ org_id, sandbox_of }) => org_id === orgId && sandbox_of !== null)
      return {
        channels: [...channels.values()]
          .filter(({ isSimulated }) => isSimulated || !isSandbox)
          .map(({ name, displayName, fields }) => ({ kind: name, name: displayName, fields: fields.map(fieldView) })),
        payments: Object.values(payments)
          .filter(({ isSimulated, connector }) => isSimulated || connector.isLocal || !isSandbox)
          .map(({ name, displayName, hasNotices, fields }) => ({
            provider: name,
            name: displayName,
            has_notices: hasNotices,
            fields: fields.map(fieldView),
          })),
      }
    },
  }),
]
