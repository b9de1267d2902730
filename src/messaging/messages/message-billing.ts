import { isRecord } from '../../kernel/records.ts'
import { soundText } from '../../kernel/text.ts'
import type { MessageView } from './messages.schemas.ts'
import type { MessageRow } from './messages.sql.ts'

/**
 * What the network charges for a message, from what it reported with the statuses. Reports are kept as they came; here is read
 * what can be shown of them. The last status that says something counts.
 */
type Reports = MessageRow['reports']

const LAST_FIRST = ['played', 'read', 'delivered', 'sent', 'failed']

function find(reports: Reports, name: 'pricing' | 'conversation'): Record<string, unknown> | null {
  if (reports == null) return null
  for (const status of LAST_FIRST) {
    const reported = reports[status]?.[name]
    if (isRecord(reported)) return reported
  }
  return null
}

const WORD_MAX = 200

const wordOf = (value: unknown): string | null => (typeof value === 'string' ? soundText(value, WORD_MAX) : null)

export function readPricing(reports: Reports): MessageView['pricing'] {
  const pricing = find(reports, 'pricing')
  if (pricing === null) return null
  return {
    billable: typeof pricing.billable === 'boolean' ? pricing.billable : null,
    pricing_model: wordOf(pricing.pricing_model),
    type: wordOf(pricing.type),
    category: wordOf(pricing.category),
  }
}

export function readConversation(reports: Reports): MessageView['conversation'] {
  const conversation = find(reports, 'conversation')
  if (conversation === null) return null
  const origin = isRecord(conversation.origin) ? conversation.origin : {}
  return {
    id: wordOf(conversation.id),
    origin: wordOf(origin.type),
    expires_at: timeOf(find({ sent: reports?.sent ?? {} }, 'conversation')?.expiration_timestamp),
  }
}

const SECONDS_MAX = 4_000_000_000

/** Unix seconds, as text or as a number. Only the status `sent` has them. */
function timeOf(value: unknown): string | null {
  const seconds = Number(value ?? Number.NaN)
  return seconds > 0 && seconds < SECONDS_MAX ? new Date(seconds * 1000).toISOString() : null
}
