import { defineError } from '../../kernel/errors.ts'

export const numberNotFound = defineError({
  code: 'number_not_found',
  status: 404,
  title: 'Business number not found',
  says: 'There is no business number with this id in the organization. Check the id in the console.',
  cause: 'No business number of the organization has this id. The ids begin with `num_`.',
  fix: 'Look up the id in the console, or with `npx nexkit number list`.',
})

export const numberAlreadyConnected = defineError({
  code: 'number_already_connected',
  status: 409,
  title: 'Number already connected',
  says: 'A number with this phone_number_id is already connected. Edit that one, or delete it first.',
  cause:
    'Within an organization each `phone_number_id` belongs to one number. A real number is connected to only one organization of an installation.',
  fix: 'Edit the number that is connected, or delete it first. If you do not find it, another organization on this server has it.',
  example: { params: { phone_number_id: '106540352242922' } },
})

export const numberDisconnected = defineError({
  code: 'number_disconnected',
  status: 409,
  title: 'Business number disconnected',
  says: 'This business number is disconnected. Connect it again, or choose another one.',
  cause: 'A disconnected number keeps its chats but can neither send nor receive.',
  fix: 'Connect the same `phone_number_id` again; the number keeps its id. Or choose another number.',
})

export const numberMissing = defineError({
  code: 'number_missing',
  status: 409,
  title: 'No business number connected',
  says: 'The organization has no connected business number. Connect one first.',
  cause:
    'Messages are sent from the number in `from`, otherwise from the default number, otherwise from the oldest connected one. There is none.',
  fix: 'Connect a number in the console, or with `npx nexkit number create`.',
})
