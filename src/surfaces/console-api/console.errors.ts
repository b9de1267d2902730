import { defineError } from '../../kernel/errors.ts'

export const requestLogNotFound = defineError({
  code: 'request_log_not_found',
  status: 404,
  title: 'Request not found',
  says: 'There is no request with this id in the log of this organization.',
  cause:
    'Requests are kept for 30 days unless the operator set another period. A request appears within about a second.',
  fix: 'Check the id, or wait a second if the request was sent just now.',
})

export const fileTypeNotSendable = defineError({
  code: 'file_type_not_sendable',
  status: 415,
  title: 'File type not supported',
  says: 'Files of this type cannot be sent. Save it in another format and upload it again.',
  cause:
    '`params.allowed` lists the types that the channel accepts. The type is that of `Content-Type` or, if it says nothing, of the extension of `filename`.',
  fix: 'Save the file in one of `params.allowed` and upload it again.',
  example: { params: { allowed: ['image/jpeg', 'image/png', 'application/pdf'] } },
})

export const fileContentMismatch = defineError({
  code: 'file_content_mismatch',
  status: 422,
  title: 'File content does not match its type',
  says: 'The content of the file does not match its type. Send it with its real type, or save it in that format.',
  cause:
    'The file was declared as `params.mime_type`, by `Content-Type` or by its extension, but its first bytes are those of another type. The file was not stored.',
  fix: 'Send it with its real type, or save it in the declared format.',
  example: { params: { mime_type: 'image/jpeg' } },
})

export const fileTooLarge = defineError({
  code: 'file_too_large',
  status: 413,
  title: 'File too large',
  says: 'The file is larger than the channel accepts. Make it smaller, or send a link to it.',
  cause: '`params.bytes_max` is the largest size of a file of this type on this number. The file was not stored.',
  fix: 'Make the file smaller, or send a link to it.',
  example: { params: { bytes_max: 5_242_880 } },
})

export const fileIncomplete = defineError({
  code: 'file_incomplete',
  status: 400,
  title: 'File incomplete',
  says: 'The file is empty, or the connection ended before the upload was complete. Upload it again.',
  cause: 'The request body is the file and needs at least one byte. The file was not stored.',
  fix: 'Upload the file again.',
})
