import type { Route } from '../define-route.ts'
import { type Exchange, nextPageLink } from './exchange.ts'
import type { FreshReply, IdempotentOutcome } from './idempotency.ts'
import { type HeaderList, type Rendered, type Reply, renderOnce } from './reply.ts'
import { renderValue } from './reply-shape.ts'

/** From what a handler returns to what is sent: the text of the body, and the headers that follow from it. */
export type RenderedReply = FreshReply & { rendered?: Rendered; nextCursor?: string | null }

/** Only a list that goes on has one. */
const nextCursorOf = (value: { object?: unknown; next_cursor?: string | null }) =>
  value.object === 'list' ? (value.next_cursor ?? null) : null

/** A handler that answers with the same frozen object again gets the same text again. */
const rendered = new WeakMap<object, Rendered>()

export function renderReply(route: Route, exchange: Exchange, value: unknown): RenderedReply {
  const { body: schema, also } = route.reply
  const answer = value as never
  const status = also?.when(answer) ? also.status : route.reply.status
  if (schema === null) return { status, body: '', location: null }
  const known = rendered.get(answer)
  if (known !== undefined) return { status, body: known.body, location: null, rendered: known }
  const body = renderValue(schema, value)
  if (Object.isFrozen(value)) rendered.set(answer, renderOnce(body))
  const basePath = exchange.fullPath.slice(0, exchange.fullPath.length - exchange.path.length)
  const location = route.location === undefined ? null : basePath + route.location(answer)
  return { status, body, location, nextCursor: nextCursorOf(answer) }
}

export function outcomeReply({ exchange, headers }: Omit<Answered, 'route'>, outcome: IdempotentOutcome): FreshReply {
  if ('fresh' in outcome) return outcome.fresh
  exchange.isReplayed = true
  headers.push('Idempotent-Replayed', 'true', 'Original-Request-Id', outcome.replayed.requestId)
  return outcome.replayed
}

type Answered = { route: Route; exchange: Exchange; headers: HeaderList }

export function finishReply({ route, exchange, headers }: Answered, reply: RenderedReply): Reply {
  if (reply.location !== null) headers.push('Location', reply.location)
  if (reply.nextCursor) headers.push('Link', nextPageLink(exchange, reply.nextCursor))
  return {
    status: reply.status,
    requestId: exchange.requestId,
    body: reply.body === '' ? null : reply.body,
    headers,
    isProblem: reply.status >= 400,
    isSecret: route.showsSecret ?? false,
    rendered: reply.rendered,
  }
}
