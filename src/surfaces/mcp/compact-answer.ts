import type { Json, JsonObject } from '../../platform/http/openapi/openapi-components.ts'
import { isObject, objectsOf } from './json.ts'

/**
 * An answer of the API in the form that a model reads: without what is empty, without what only programs need, and in lists
 * with the members that distinguish one entry from another. The tool that shows one thing shows all that a model can use of it.
 *
 * A path names a member inside of members: `contact.name`. It leads through arrays.
 */
type Form = {
  /** What an entry of a list shows. */
  brief: readonly string[]
  /** The members that are left out of a single resource. */
  omits?: readonly string[]
}

const forms: Record<string, Form> = {
  chat: {
    brief: [
      ...['id', 'contact.name', 'contact.phone', 'status', 'unread_count', 'labels', 'assignee'],
      ...['last_message.direction', 'last_message.preview', 'last_message.at', 'reply_window.state', 'open_order'],
    ],
    omits: ['contact.identities', 'number.phone_number_id', 'last_message', 'created_at', 'messages.data.chat_id'],
  },
  message: {
    brief: [
      ...[
        'id',
        'chat_id',
        'direction',
        'type',
        'body',
        'media',
        'template',
        'interactive',
        'location',
        'contacts',
        'reaction',
      ],
      ...['order', 'system', 'unsupported', 'reply_to', 'group', 'order_id', 'status', 'error', 'edited_at'],
      ...['deleted_at', 'send_at', 'created_at'],
    ],
    omits: ['provider_id'],
  },
  contact: { brief: ['id', 'name', 'phone', 'marketing_opt_outs.at'] },
  order: {
    brief: [
      ...['id', 'number', 'status', 'payment_status', 'needs_review.reason', 'customer.name', 'customer.phone'],
      ...['chat_id', 'total', 'amount_paid', 'amount_returned', 'delivery.status', 'reference', 'note'],
      'created_at',
    ],
    omits: ['ledger', 'currency'],
  },
  payment: {
    brief: ['id', 'order_id', 'method', 'status', 'amount', 'amount_paid', 'amount_refunded', 'error', 'expires_at'],
    omits: ['order_id', 'currency', 'updated_at'],
  },
  refund: { brief: ['id', 'order_id', 'status', 'amount', 'reason', 'error', 'created_at'], omits: ['currency'] },
  event: {
    brief: ['id', 'type', 'sequence', 'created_at', 'data'],
    omits: ['timestamp', 'version', 'tenant'],
  },
  event_type: { brief: ['name', 'description', 'deprecated'] },
  approval: {
    brief: [
      ...['id', 'status', 'operation', 'amount', 'chat_id', 'order_id', 'reason', 'expires_at', 'note'],
      'result.status',
    ],
    omits: ['agent', 'decided_by.id'],
  },
  webhook_endpoint: {
    brief: [
      ...['id', 'url', 'description', 'events', 'state', 'disabled_reason', 'health.breaker', 'health.failing_since'],
      ...['health.success_rate', 'health.backlog'],
    ],
    omits: ['public_keys', 'secret_hint', 'tls'],
  },
  webhook_delivery: {
    brief: [
      ...['id', 'event_id', 'endpoint_id', 'type', 'status', 'reason', 'attempt_count', 'last_response_status'],
      ...['last_error_class', 'created_at', 'next_attempt_at'],
    ],
  },
  webhook_attempt: {
    brief: [
      ...['number', 'trigger', 'outcome', 'started_at', 'total_ms', 'response_status', 'response_body', 'error_class'],
      ...['error_detail', 'next_attempt_at'],
    ],
  },
  webhook_recovery: { brief: ['id', 'mode', 'since', 'until', 'status', 'reason', 'progress', 'created_at'] },
  webhook_certification: { brief: ['id', 'status', 'grade'], omits: ['probes.exchanges', 'trials'] },
  webhook_explanation: {
    brief: ['event_id', 'type'],
    omits: ['stories.answer', 'stories.advice', 'stories.steps.details'],
  },
}

/** For the description of answers: which members of a thing are ever shown. */
export function shownMembers(kind: string | undefined, members: readonly string[], isBrief: boolean): string[] {
  const { brief, omits = [] } = forms[kind ?? ''] ?? { brief: undefined }
  if (!isBrief || brief === undefined) return members.filter((name) => name !== 'object' && !omits.includes(name))
  return [...new Set(brief.flatMap((path) => path.split('.').slice(0, 1)))].filter((name) => members.includes(name))
}

/** A caller who changed something knows most of it: `isBrief` shows it as lists do. */
export function compactAnswer(answer: JsonObject, isBrief = false): JsonObject {
  if (answer.object === 'list') return compactList(answer)
  return isBrief ? briefOf(answer) : compactThing(answer)
}

function compactList({ data, next_cursor: next }: JsonObject): JsonObject {
  const items = objectsOf(data)
  return { data: items.map((item) => briefOf(item, items.length === 1)), ...(isFilled(next) && { next_cursor: next }) }
}

/** A single requested event type comes with its example. */
function briefOf(thing: JsonObject, isAlone = false): JsonObject {
  const paths = forms[String(thing.object)]?.brief
  if (paths === undefined) return compactThing(thing)
  const shown = paths.map((path) => path.split('.'))
  return pick(thing, thing.object === 'event_type' && isAlone ? [...shown, ['example']] : shown)
}

function pick(thing: JsonObject, paths: readonly string[][]): JsonObject {
  const groups = Map.groupBy(paths, ([name = '']) => name)
  const picked = [...groups].flatMap(([name, own]): [string, Json][] => {
    const value = thing[name]
    if (!isFilled(value) || isUsual(name, value)) return []
    const inner = own.map((path) => path.slice(1)).filter((path) => path.length > 0)
    const shown = inner.length > 0 ? pickIn(value, inner) : shownIn(value)
    return isFilled(shown) ? [[name, shown]] : []
  })
  return Object.fromEntries(picked)
}

function pickIn(value: Json, paths: readonly string[][]): Json {
  if (Array.isArray(value)) return value.map((item) => pickIn(item, paths))
  return isObject(value) ? pick(value, paths) : value
}

/** A nested resource is brief when a tool can read it. */
function shownIn(value: Json): Json {
  if (Array.isArray(value)) return value.map(shownIn)
  if (!isObject(value)) return value
  if (value.object === 'list') return compactList(value)
  return value.object === undefined || value.object === 'payment' ? compactThing(value) : briefOf(value)
}

function compactThing(thing: JsonObject): JsonObject {
  const omitted = (forms[String(thing.object)]?.omits ?? []).map((path) => path.split('.'))
  const shown = omit(withoutRepeats(thing), omitted)
  return Object.fromEntries(
    Object.entries(shown).flatMap(([name, value]): [string, Json][] => {
      if (name === 'object' || isUsual(name, value)) return []
      const inner = WHOLE_MEMBERS.includes(name) && isObject(value) ? compactThing(value) : shownIn(value)
      return isFilled(inner) ? [[name, inner]] : []
    }),
  )
}

/** The resource of an event, and the answer of an approved request, are shown in full. */
const WHOLE_MEMBERS = ['data', 'result', 'body']

function omit(thing: JsonObject, paths: readonly string[][]): JsonObject {
  return Object.fromEntries(
    Object.entries(thing).flatMap(([name, member]): [string, Json][] => {
      const own = paths.filter(([first]) => first === name).map((path) => path.slice(1))
      if (own.some((path) => path.length === 0)) return []
      if (own.length === 0) return [[name, member]]
      return [[name, Array.isArray(member) ? member.map((item) => omitIn(item, own)) : omitIn(member, own)]]
    }),
  )
}

const omitIn = (value: Json, paths: readonly string[][]): Json => (isObject(value) ? omit(value, paths) : value)

/** The payment of an order is among its payments as well, and a code to scan is of use only while it can be paid. */
function withoutRepeats(thing: JsonObject): JsonObject {
  const { object, payment, payments, status } = thing
  if (object === 'payment' && status !== 'pending') return omit(thing, [['qris'], ['pay_url']])
  if (object !== 'order' || !isObject(payment) || !Array.isArray(payments)) return thing
  const earlier = payments.filter(isObject).filter((other) => other.id !== payment.id)
  return { ...thing, payments: earlier.map((other) => briefOf(other)) }
}

const isFilled = (value: Json | undefined): value is Exclude<Json, null> => {
  if (value === null || value === undefined || value === '') return false
  return typeof value === 'object' ? Object.keys(value).length > 0 : true
}

/** Flags that are nearly always off. */
const FLAGS = ['forwarded', 'frequently_forwarded', 'deprecated', 'test', 'manual', 'response_truncated']

const isUsual = (name: string, value: Json) =>
  (value === false && FLAGS.includes(name)) || (name === 'type' && value === 'text')
