import { defineError } from '../../../kernel/errors.ts'

export const simulatorNumberNotFound = defineError({
  code: 'simulator_number_not_found',
  status: 404,
  title: 'There is no such simulator number',
  says: 'There is no connected simulator number with this id in the organization.',
  help: 'Only numbers of the connector `simulator` have customers who can be played. `npx nexkit number create --connector simulator` makes one.',
})

export const simulationImpossible = defineError({
  code: 'simulation_impossible',
  status: 409,
  title: 'The simulated customer cannot do this',
  says: 'The simulated customer cannot do this.',
  help: 'A simulated customer can only read, answer or react to what they were sent, and can only choose what was offered. The sentence of the error says what was in the way.',
})
