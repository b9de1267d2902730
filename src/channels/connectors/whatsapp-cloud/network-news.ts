import { soundText } from '../../../kernel/text.ts'
import type { NetworkNews, ReportedTemplate } from '../../channel-connector.ts'
import { idOf, type Json, type JsonObject, listOf, objectOf, textOf } from './json-reading.ts'

/**
 * What Meta reports about a number, its business account and its templates, in a sentence, and whether it is trouble. The
 * values of Meta's enumerations grow; one that is not known here is no trouble.
 */
const DETAIL_MAX = 500

const wordOf = (value: Json): string | null => {
  const text = idOf(value)
  return text === null ? null : soundText(text, DETAIL_MAX)
}

const sentence = (...parts: (string | null | undefined)[]): string =>
  soundText(parts.filter((part) => part != null && part !== '').join(', '), DETAIL_MAX)

type Reading = {
  event: string | null
  detail: string
  trouble?: string | null
  isTrouble?: boolean
  resolves?: string | null
}

const ACCOUNT_TROUBLE: Record<string, string> = {
  ACCOUNT_VIOLATION: 'account_violation',
  ACCOUNT_RESTRICTION: 'account_restricted',
  ACCOUNT_DELETED: 'account_deleted',
  PARTNER_REMOVED: 'account_unshared',
  PARTNER_APP_UNINSTALLED: 'account_unshared',
}

function readAccountUpdate(value: JsonObject): Reading {
  const event = wordOf(value.event)
  const [ban, violation] = [objectOf(value.ban_info), objectOf(value.violation_info)]
  const banState = wordOf(ban?.waba_ban_state)
  const restrictions = listOf(value.restriction_info).map((one) => wordOf(objectOf(one)?.restriction_type))
  const isBanned = event === 'DISABLED_UPDATE' && banState !== null && banState !== 'REINSTATE'
  return {
    event,
    detail: sentence(event, banState, wordOf(ban?.waba_ban_date), wordOf(violation?.violation_type), ...restrictions),
    trouble: isBanned ? 'account_disabled' : (ACCOUNT_TROUBLE[event ?? ''] ?? null),
    resolves: banState === 'REINSTATE' ? 'account_disabled' : null,
  }
}

function readAlert(value: JsonObject): Reading {
  const alert = objectOf(value.alert_info) ?? value
  const event = wordOf(alert.alert_type)
  const isOpen = wordOf(alert.alert_status) !== 'RESOLVED'
  return {
    event,
    detail: sentence(wordOf(alert.alert_severity), event, wordOf(alert.alert_description)),
    trouble: isOpen && wordOf(alert.alert_severity) === 'CRITICAL' ? 'account_alert' : null,
    resolves: isOpen ? null : 'account_alert',
  }
}

const QUALITY_TROUBLE = ['FLAGGED', 'DOWNGRADE']
const DECLINED = ['REJECTED', 'DECLINED']

const READERS: Record<string, (value: JsonObject) => Reading> = {
  account_update: readAccountUpdate,
  account_alerts: readAlert,
  account_review_update: ({ decision }) => ({
    event: wordOf(decision),
    detail: sentence('The review of the account ended', wordOf(decision)),
    trouble: DECLINED.includes(wordOf(decision) ?? '') ? 'account_rejected' : null,
    resolves: decision === 'APPROVED' ? 'account_rejected' : null,
  }),
  phone_number_quality_update: ({ event, current_limit, max_daily_conversations_per_business }) => ({
    event: wordOf(event),
    detail: sentence(wordOf(event), wordOf(current_limit), wordOf(max_daily_conversations_per_business)),
    trouble: QUALITY_TROUBLE.includes(wordOf(event) ?? '') ? 'quality_low' : null,
    resolves: event === 'UNFLAGGED' || event === 'UPGRADE' ? 'quality_low' : null,
  }),
  phone_number_name_update: ({ decision, requested_verified_name, rejection_reason }) => ({
    event: wordOf(decision),
    detail: sentence(wordOf(decision), wordOf(requested_verified_name), wordOf(rejection_reason)),
    trouble: DECLINED.includes(wordOf(decision) ?? '') ? 'name_declined' : null,
    resolves: decision === 'APPROVED' ? 'name_declined' : null,
  }),
  business_capability_update: (value) => ({
    event: null,
    detail: sentence(...Object.entries(value).map(([name, limit]) => `${name} ${wordOf(limit) ?? ''}`)),
  }),
}

const TEMPLATE_TROUBLE = ['REJECTED', 'PAUSED', 'DISABLED', 'FLAGGED', 'LIMIT_EXCEEDED', 'RED']

function readTemplateNews(value: JsonObject): NetworkNews {
  const status = wordOf(value.event)
  const quality = wordOf(value.new_quality_score)
  const category = wordOf(value.new_category) ?? wordOf(value.message_template_category)
  const template: ReportedTemplate = {
    id: wordOf(value.message_template_id),
    name: wordOf(value.message_template_name),
    language: wordOf(value.message_template_language),
    ...{ status, category, quality },
  }
  const reason = wordOf(value.reason)
  return {
    topic: 'template',
    event: status ?? quality ?? category,
    detail: sentence(template.name, template.language, status, quality, category, reason === 'NONE' ? null : reason),
    isTrouble: [status, quality].some((word) => TEMPLATE_TROUBLE.includes(word ?? '')),
    ...{ code: null, resolves: null },
    template,
  }
}

/** Fields that are about a number or its account, beside those that are read here. */
const OF_NUMBERS = /^(?:account|phone_number|business|partner|payment)_|^security$/

export function readNews(field: string, value: JsonObject): NetworkNews | null {
  if (/^(?:message_)?template_/.test(field)) return readTemplateNews(value)
  const problem = objectOf(listOf(value.errors)[0])
  if (field === 'messages' && problem !== null) return numberNews({ ...readProblem(problem), isTrouble: true })
  const read = Object.hasOwn(READERS, field) ? READERS[field] : undefined
  if (read !== undefined) return numberNews(read(value))
  return OF_NUMBERS.test(field) ? numberNews(readPlain(value)) : null
}

const readProblem = (problem: JsonObject): Reading => ({
  event: wordOf(problem.code),
  detail: sentence(wordOf(problem.title), textOf(objectOf(problem.error_data)?.details)),
})

const readPlain = ({ event, decision }: JsonObject): Reading => {
  const word = wordOf(event) ?? wordOf(decision)
  return { event: word, detail: sentence(word) }
}

const numberNews = ({
  trouble = null,
  isTrouble = trouble !== null,
  resolves = null,
  ...said
}: Reading): NetworkNews => ({
  topic: 'number',
  ...{ ...said, isTrouble, code: trouble, resolves, template: null },
})
