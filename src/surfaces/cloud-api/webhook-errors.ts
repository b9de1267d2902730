/**
 * `errors` of a webhook, from the reason that our own form keeps of a failure. It has Meta's code where the network gave one,
 * and else the one of Meta's that says the same.
 */
const TITLES: Record<number, string> = {
  130429: 'Rate limit hit',
  130472: "User's number is part of an experiment",
  131000: 'Something went wrong',
  131009: 'Parameter value is not valid',
  131016: 'Service unavailable',
  131021: 'Recipient cannot be sender',
  131026: 'Message undeliverable',
  131031: 'Business Account locked',
  131042: 'Business eligibility payment issue',
  131047: 'Re-engagement message',
  131049: 'This message was not delivered to maintain healthy ecosystem engagement.',
  131050: 'User has stopped marketing messages from your business',
  131051: 'Message type unknown',
  131052: 'Media download error',
  131053: 'Media upload error',
  131056: '(Business Account, Consumer Account) pair rate limit hit',
  132000: 'Number of parameters does not match the expected number of params',
  132001: 'Template name does not exist in the translation',
  132012: 'Parameter format does not match format in the created template',
  132015: 'Template is paused',
  132016: 'Template is disabled',
  133010: 'Phone number not registered',
  137000: 'Recipient identity key hash mismatch',
}

const CODES: Record<string, number> = {
  reply_window_closed: 131047,
  recipient_unreachable: 131026,
  recipient_opted_out: 131050,
  recipient_is_sender: 131021,
  parameter_invalid: 131009,
  media_unusable: 131053,
  number_disconnected: 133010,
  throttled: 130429,
  unavailable: 131016,
  type_unsupported: 131051,
}

const OTHER = 131000
const HREF = 'https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes/'

type Failure = { code: string; provider_code: string | null; detail: string }

export function errorsOf(failure: Failure | null): Record<string, unknown>[] {
  const given = Number(failure?.provider_code ?? Number.NaN)
  const code = Number.isSafeInteger(given) && given > 0 ? given : (CODES[failure?.code ?? ''] ?? OTHER)
  const title = TITLES[code] ?? 'Message failed to send'
  return [{ code, title, message: title, error_data: { details: failure?.detail ?? title }, href: HREF }]
}
