import { defineError } from '../../../kernel/errors.ts'

export const simulatorNumberNotFound = defineError({
  code: 'simulator_number_not_found',
  status: 404,
  title: 'Simulator number not found',
  says: 'There is no connected simulator number with this id in the organization. Create one, or choose another.',
  cause: 'Only numbers of the connector `simulator` have simulated customers.',
  fix: 'Create one with `npx nexkit number create --connector simulator`.',
})

export const simulationImpossible = defineError({
  code: 'simulation_impossible',
  status: 409,
  title: 'Not possible for the simulated customer',
  says: 'The simulated customer cannot do this.',
  cause:
    'A simulated customer can read, answer or react only to messages they received, and can choose only what was offered. The detail says what was not possible.',
  fix: 'Correct the request as the detail says.',
})
