import { defineError } from '../../kernel/errors.ts'

export const numberNotFound = defineError({
  code: 'number_not_found',
  status: 404,
  title: 'There is no such business number',
  says: 'There is no business number with this id in the organization.',
  help: 'Ids of business numbers begin with `num_`. `npx nexkit number list` shows the numbers of an organization.',
})

export const numberAlreadyConnected = defineError({
  code: 'number_already_connected',
  status: 409,
  title: 'The number is connected already',
  says: 'A number with this phone_number_id is connected already. Update that one, or delete it first.',
  help: 'A `phone_number_id` stands for one number within an organization, and a real one is connected to one organization of an installation only.',
})

export const numberDisconnected = defineError({
  code: 'number_disconnected',
  status: 409,
  title: 'The business number is disconnected',
  says: 'This business number was disconnected. Connect it again, or choose another one.',
  help: 'A disconnected number keeps its chats but can neither send nor receive. Connecting the same `phone_number_id` again brings it back under its old id.',
})

export const numberMissing = defineError({
  code: 'number_missing',
  status: 409,
  title: 'No business number is connected',
  says: 'The organization has no connected business number. Connect one first.',
  help: 'Messages leave from the number named by `from`, else from the default number, else from the oldest connected one. `npx nexkit number create` connects one.',
})
