import type { ChannelsContext } from '../../channels/channels-context.ts'
import { simulatorNumberNotFound } from '../../channels/connectors/simulator/simulator.errors.ts'
import { seedOf } from '../../channels/connectors/simulator/simulator.ts'
import { type BusinessNumber, updateNumber } from '../../channels/numbers/numbers.ts'
import { defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import { NewSettings, SimulatorSettings } from './simulator-api.schemas.ts'
import { getSimulatorNumber } from './simulator-numbers.ts'

/** The settings of a simulator number that decide how strict and how repeatable a test is. */
export type SettingsRouteParts = { numbers: ChannelsContext }

export const settingsRoutes = ({ numbers }: SettingsRouteParts): Route[] => [
  defineRoute({
    tag: 'Simulator',
    id: 'updateSimulatorSettings',
    method: 'POST',
    path: '/simulator/settings',
    access: key('messages:send'),
    idempotency: 'transaction',
    isBodyOptional: true,
    summary: 'Change the seed or the limits of a number',
    description:
      'Changes settings of a simulator number, within a second. Without a change it answers with the present ones.',
    body: NewSettings,
    reply: { status: 200, body: SimulatorSettings },
    errors: [simulatorNumberNotFound],
    example: {
      body: { seed: 'checkout test' },
      reply: { number_id: 'num_01kmz3v7n2e0a8tq9fj6hx5c4d', seed: 'checkout test', reply_window: true },
    },
    async handle({ body: { number, ...settings }, caller: { orgId }, tx }) {
      const known = await getSimulatorNumber(tx, orgId, number)
      if (Object.keys(settings).length === 0) return presentSettings(known)
      return presentSettings(await updateNumber(numbers, tx, orgId, { id: known.id, change: { settings } }))
    },
  }),
]

const presentSettings = ({ id, settings }: BusinessNumber) => ({
  number_id: id,
  seed: seedOf({ settings }),
  reply_window: settings.reply_window !== false,
})
