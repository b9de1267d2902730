import { defineError } from '../../kernel/errors.ts'

export const mediaNotFound = defineError({
  code: 'media_not_found',
  status: 404,
  title: 'There is no such file',
  says: 'There is no media file with this id, or it was deleted.',
  help: 'Upload the file first and give the id that the upload answered with, or take the one in a message that carries it.',
})

export const mediaNotReady = defineError({
  code: 'media_not_ready',
  status: 409,
  title: 'The file is not here yet',
  says: 'This file has not been fetched from the network yet. Try again in a moment.',
  help: 'A file that a customer sends is fetched soon after the message arrives. While the network has trouble, fetching is tried again for some days.',
})

export const mediaUnavailable = defineError({
  code: 'media_unavailable',
  status: 409,
  title: 'The file could not be fetched',
  says: 'This file could not be fetched from the network and is lost. Ask the customer to send it again.',
  help: 'The network refused to hand the file out, or no longer has it. `params.problem` tells what it said.',
})
