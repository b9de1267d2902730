import type { Sentences } from './problems-id.ts'

/** Advice of an explanation for a reader who has buttons; what the server says names calls of the API. By the code of the sentence. */
const RECOVER = 'recover what the endpoint missed since {since}'

export const consoleAdvice: Sentences = {
  resume: 'Resume the endpoint and send what was held.',
  ask_again_or_resend: 'Look again in a moment. If nothing has changed, resend it.',
  tried_again_by_itself: 'It is retried automatically. Resend it to send it now.',
  then_resend: 'Then resend it.',
  resend_or_recover: 'To send it anyway, resend it, or recover what the endpoint missed.',
  resend_or_resume_and_recover: 'To send it anyway, resend it, or resume the endpoint and recover what it missed.',
  recover_missing: `To send it anyway, ${RECOVER}.`,
  resume_and_recover_missing: `To send it anyway, resume the endpoint, then ${RECOVER}.`,
  change_filter_and_recover_missing: `To send it anyway, change the filter of the endpoint, then ${RECOVER}.`,
  subscribe_and_recover_missing: `To send it anyway, add “{type}” to the events of the endpoint, then ${RECOVER}.`,
  subscribe_resume_and_recover_missing: `To send it anyway, add “{type}” to the events of the endpoint, resume it, then ${RECOVER}.`,
  watch_from_another: 'Watch an endpoint from another endpoint.',
  answer_first: 'Answer 2xx first and do the work afterwards, or raise the timeout of the endpoint.',
  check_signature:
    'The receiver refuses it; most often the signature is checked with an old secret or the decoded body. Certify the endpoint to find the mistake.',
  set_rate: 'The receiver asks for fewer requests; set a rate limit on the endpoint.',
}
