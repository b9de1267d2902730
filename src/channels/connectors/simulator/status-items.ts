import type { Form, Reported } from './courses.ts'
import { type GraphItem, timestampOf } from './graph-hook.ts'
import { graphErrorOf } from './network-errors.ts'
import { outboundIdOf, type Seed, userIdOf } from './seeded.ts'
import { behaviourOf } from './test-numbers.ts'

/** How far a message of ours has come, as one item of `statuses`. */
export type SentMessage = { recipient: string; messageId: string; copy: number }

const IS_PHONE = /^\d+$/

export function statusItem(
  seed: Seed,
  { recipient, messageId, copy }: SentMessage,
  { status, atMs, error, form }: Pick<Reported, 'status' | 'error'> & { atMs: number; form: Form },
): GraphItem {
  return {
    id: outboundIdOf(seed, messageId, copy),
    status,
    timestamp: timestampOf(atMs),
    ...recipientOf(recipient),
    biz_opaque_callback_data: messageId,
    ...(status === 'sent' && { pricing: pricingOf(form) }),
    ...(error !== undefined && { errors: [graphErrorOf(error)] }),
  }
}

/** A customer known by a user id alone stays so. */
function recipientOf(recipient: string): GraphItem {
  if (!IS_PHONE.test(recipient)) return { recipient_user_id: recipient }
  const { isPhoneHidden, reportedPhone } = behaviourOf({ phone: recipient, userId: null })
  return isPhoneHidden ? { recipient_user_id: userIdOf(recipient) } : { recipient_id: reportedPhone ?? recipient }
}

const pricingOf = (form: Form) =>
  form === 'template'
    ? { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' }
    : { billable: false, pricing_model: 'PMP', type: 'free_customer_service', category: 'service' }
