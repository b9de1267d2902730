import { defineError } from '../../kernel/errors.ts'

export const mediaNotFound = defineError({
  code: 'media_not_found',
  status: 404,
  title: 'File not found',
  says: 'There is no media file with this id, or it was deleted. Upload the file and use the id of that response.',
  cause: 'No media file of the organization has this id, or the file was deleted.',
  fix: 'Upload the file and use the id in the response, or the id in the message that contains the file.',
})

export const mediaNotReady = defineError({
  code: 'media_not_ready',
  status: 409,
  title: 'File not ready',
  says: 'This file has not been downloaded from the network yet. Try again in a moment.',
  cause:
    'A file that a customer sends is downloaded shortly after the message arrives. If the network fails, the download is retried for some days.',
  fix: 'Repeat the request in a moment.',
})

export const mediaUnavailable = defineError({
  code: 'media_unavailable',
  status: 409,
  title: 'File could not be downloaded',
  says: 'This file could not be downloaded from the network and is lost. Ask the customer for the file once more.',
  cause: 'The network refused the download or no longer has the file. `params.problem` is its reason.',
  fix: 'Ask the customer for the file once more.',
  example: { params: { problem: 'media_not_found' } },
})
