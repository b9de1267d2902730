import type { ChannelFailure } from '../../channel-connector.ts'

/**
 * What the simulated network says when it will not do something: Meta's codes and titles, so that what is built against
 * the simulator meets the same ones later. Said at once they are the answer to a call; said later they stand in a status.
 */
export type NetworkError = {
  code: number
  title: string
  details: string
  /** What it comes to on our side when it is the answer to a call. */
  meaning: Pick<ChannelFailure, 'class' | 'code'> & { scope?: 'recipient' }
}

const permanent = (code: string): NetworkError['meaning'] => ({ class: 'permanent', code })

export const networkErrors = {
  credentials: {
    code: 190,
    title: 'Authentication error',
    details: 'The access token was refused. (This test number always says so.)',
    meaning: { class: 'account', code: 'credentials_refused' },
  },
  unavailable: {
    code: 131016,
    title: 'Service unavailable',
    details: 'A service is temporarily unavailable.',
    meaning: { class: 'retry', code: 'unavailable' },
  },
  throttled: {
    code: 130429,
    title: 'Rate limit hit',
    details: 'More messages were sent from this phone number than its throughput allows.',
    meaning: { class: 'retry', code: 'throttled' },
  },
  pairThrottled: {
    code: 131056,
    title: 'Pair rate limit hit',
    details: 'Too many messages were sent from this phone number to the same recipient in a short time.',
    meaning: { class: 'retry', code: 'recipient_throttled', scope: 'recipient' },
  },
  undeliverable: {
    code: 131026,
    title: 'Message undeliverable',
    details: 'The recipient is not on WhatsApp, or cannot receive this message.',
    meaning: permanent('recipient_unreachable'),
  },
  windowClosed: {
    code: 131047,
    title: 'Re-engagement message',
    details: 'More than 24 hours have passed since the recipient last wrote. Send a template.',
    meaning: { class: 'window', code: 'reply_window_closed' },
  },
  blockedByBusiness: {
    code: 130403,
    title: 'User is blocked',
    details: 'The business has blocked this person.',
    meaning: permanent('recipient_blocked'),
  },
  marketingStopped: {
    code: 131050,
    title: 'User has stopped marketing messages',
    details: 'The recipient has opted out of marketing messages from this business.',
    meaning: permanent('recipient_opted_out'),
  },
  typeUnsupported: {
    code: 131051,
    title: 'Unsupported message type',
    details: 'A message of this type cannot be sent.',
    meaning: permanent('type_unsupported'),
  },
  fileUnknown: {
    code: 131052,
    title: 'Media download error',
    details: 'The network holds no file with this id.',
    meaning: permanent('media_unusable'),
  },
  fileTooLarge: {
    code: 131053,
    title: 'Media upload error',
    details: 'The simulator keeps files up to 16 MB.',
    meaning: permanent('media_unusable'),
  },
  templateUnknown: {
    code: 132001,
    title: 'Template does not exist',
    details: 'There is no approved template with this name in this language.',
    meaning: permanent('template_not_found'),
  },
  templateParameters: {
    code: 132000,
    title: 'Template parameter count mismatch',
    details: 'The number of parameters is not the one the template needs.',
    meaning: permanent('template_parameters_wrong'),
  },
  templateFormat: {
    code: 132012,
    title: 'Template parameter format mismatch',
    details: 'A parameter is not of the kind that the template needs.',
    meaning: permanent('template_parameters_wrong'),
  },
} as const satisfies Record<string, NetworkError>

const known: readonly NetworkError[] = Object.values(networkErrors)

/** By Meta's code, for those who want a status to fail with one; also for codes that nothing here uses. */
export const errorWithCode = (code: number): NetworkError =>
  known.find((error) => error.code === code) ?? {
    code,
    title: 'Something went wrong',
    details: `The simulator was asked to fail with ${code}.`,
    meaning: permanent('refused'),
  }

const failureOf = (
  { code, details, meaning }: NetworkError,
  more: { details?: string; retryAfterMs?: number } = {},
): ChannelFailure => ({
  class: meaning.class,
  scope: meaning.scope ?? 'number',
  code: meaning.code,
  providerCode: String(code),
  detail: more.details ?? details,
  retryAfterMs: more.retryAfterMs ?? null,
})

export const refusal = (error: NetworkError, more?: { details?: string; retryAfterMs?: number }) => ({
  kind: 'refused' as const,
  failure: failureOf(error, more),
})

/** As it stands in a status. */
export const graphErrorOf = ({ code, title, details }: NetworkError) => ({
  code,
  title,
  message: title,
  error_data: { details },
  href: 'https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes/',
})
