import { defineError } from '../../kernel/errors.ts'

export const requestLogNotFound = defineError({
  code: 'request_log_not_found',
  status: 404,
  title: 'No such request',
  says: 'There is no request with this id in the log of this organization.',
  help: 'Requests are kept for 30 days unless the operator chose otherwise. A call that was made a moment ago may need a second to appear.',
})

export const simulatedPaymentNotFound = defineError({
  code: 'simulated_payment_not_found',
  status: 404,
  title: 'No such simulated payment',
  says: 'There is no payment or refund of a simulator account with this id.',
  help: 'Only payments that were asked for through a payment account of the provider `simulator` can be played.',
})

export const fileTypeNotSendable = defineError({
  code: 'file_type_not_sendable',
  status: 415,
  title: 'Files of this type cannot be sent',
  says: 'No kind of message takes files of this type. Save it in another format and try again.',
  help: '`params.allowed` lists the types that the channel takes. The type is taken from `Content-Type`, and from the ending of `filename` where that says nothing.',
})

export const fileContentMismatch = defineError({
  code: 'file_content_mismatch',
  status: 422,
  title: 'The file is of another type',
  says: 'The contents of the file do not match its type. Send it with its real type, or save it in that format.',
  help: '`params.mime_type` is the type that the file was declared as, by `Content-Type` or by the ending of its name. Its first bytes are those of another type. Nothing of it was kept.',
})

export const fileTooLarge = defineError({
  code: 'file_too_large',
  status: 413,
  title: 'The file is too large',
  says: 'The file is larger than the channel takes. Make it smaller, or send a link to it.',
  help: '`params.bytes_max` is the most that a file of this type may have on this number. Nothing of it was kept.',
})

export const fileIncomplete = defineError({
  code: 'file_incomplete',
  status: 400,
  title: 'The file did not arrive whole',
  says: 'The file is empty, or the connection ended before all of it had come. Send it again.',
  help: 'The body of the request is the file itself, at least one byte. What came of it was not kept.',
})
