import { z } from 'zod'
import { MONEY_MAX } from '../../kernel/money.ts'
import { simulatedScenarios } from '../../payments/connectors/simulator/simulator.ts'

/** Simulating the payment network: the input and the answers. */
export const SimulatedPaying = z
  .strictObject({
    scenario: z.enum(simulatedScenarios).default('paid'),
    amount: z
      .int()
      .min(1)
      .max(MONEY_MAX)
      .optional()
      .meta({ description: 'What the payer pays; the amount of the payment by default.' }),
  })
  .meta({ id: 'SimulatedPaying', description: 'What the simulated payer does.' })

export const SimulatedRefunding = z
  .strictObject({ outcome: z.enum(['succeeded', 'failed']).default('succeeded') })
  .meta({ id: 'SimulatedRefunding', description: 'How the simulated network ends a refund.' })

export const TakenNotices = z
  .object({
    notices: z.array(z.object({ status: z.int().min(100).max(599) }).meta({ id: 'SimulatedNotice' })).max(10),
  })
  .meta({ id: 'SimulatedNotices', description: 'The HTTP statuses with which the server answered the notifications.' })
