import type { FieldProblem, ProblemError } from '../../kernel/errors.ts'
import type { JsonObject } from '../../platform/http/openapi/openapi-components.ts'
import type { Problem } from '../../platform/http/problem.ts'
import { fitAnswer } from './answer-size.ts'
import { compactAnswer } from './compact-answer.ts'
import { CUSTOMER_TEXT_NOTE, hasCustomerText, markThing } from './untrusted-text.ts'

/**
 * What a route answered, as the result of a tool:
 *
 *   2xx                    the body in its compact form, as data and as text
 *   202 with an approval   what to do now, in words, and the approval under its own name
 *   4xx, 5xx               an error in words that a model can repair its call by
 */
export type ToolResult = {
  content: { type: 'text'; text: string }[]
  structuredContent?: JsonObject
  isError?: boolean
}

export async function resultOf(response: Response, isBrief: boolean): Promise<ToolResult> {
  const text = await response.text()
  const json = text === '' ? '{}' : text
  if (response.status >= 400) return failed(problemLines(JSON.parse(json)))
  const body: JsonObject = JSON.parse(json)
  if (response.status === 202 && body.object === 'approval') return waiting(body)
  const shown = shownTo(body, isBrief)
  return { content: says(text === '' ? 'Done.' : JSON.stringify(shown)), structuredContent: shown }
}

/** Marks the answer, compacts it and cuts it to size; notes about the whole answer come first. */
function shownTo(body: JsonObject, isBrief: boolean): JsonObject {
  const { answer, notes } = fitAnswer(compactAnswer(markThing(body), isBrief))
  const all = [...(hasCustomerText(answer) ? [CUSTOMER_TEXT_NOTE] : []), ...notes]
  return all.length === 0 ? answer : { note: all.join(' '), ...answer }
}

/** The result of a call whose arguments form no request. */
export const refusedArguments = (problems: readonly FieldProblem[]): ToolResult =>
  failed(['validation_failed: The arguments do not fit this tool.', ...problems.map(fieldLine)])

/** The result of a call that was refused before its route was called. */
export const refusedCall = ({ code, message, options: { params } }: ProblemError): ToolResult =>
  failed([`${code}: ${message}`, ...detailLines(params)])

/** A name that fits nothing, or several things: those that may have been meant, as lists show them. */
export function refusedName(code: string, detail: string, meant: readonly JsonObject[]): ToolResult {
  const shown = shownTo({ object: 'list', data: [...meant] }, true)
  return failed([`${code}: ${detail}`, ...(meant.length > 0 ? [JSON.stringify(shown)] : [])])
}

const says = (text: string): ToolResult['content'] => [{ type: 'text', text }]

const failed = (lines: string[]): ToolResult => ({ content: says(lines.join('\n')), isError: true })

function problemLines({ code, detail, errors = [], params, request_id: requestId }: Problem): string[] {
  return [`${code}: ${detail}`, ...errors.map(fieldLine), ...detailLines(params), `Request: ${requestId}`]
}

const detailLines = (params: Record<string, unknown> = {}) =>
  Object.keys(params).length === 0 ? [] : [`Details: ${JSON.stringify(params)}`]

/** Path, query, header and body are all arguments here. */
function fieldLine({ pointer, parameter, header, code, detail, params }: FieldProblem | NamedProblem): string {
  const name = parameter ?? pointer?.replace(/^#\/?/, '') ?? header?.toLowerCase().replaceAll('-', '_') ?? ''
  const values = params === undefined ? '' : ` ${JSON.stringify(params)}`
  return `- ${name === '' ? '' : `${name}: `}${detail} (${code})${values}`
}

type NamedProblem = NonNullable<Problem['errors']>[number]

function waiting(body: JsonObject): ToolResult {
  const approval = compactAnswer(body, true)
  const { id, expires_at: expiresAt } = approval
  const lines = [
    'Nothing has been done yet: a person has to approve this first. This is not an error.',
    `Approval: ${id}, open until ${expiresAt}.`,
    `Call wait_for_approval (id: ${id}): once a person approves, exactly this call is carried out and its answer is in "result". Do not make the call again meanwhile, and do not look for another way to the same end.`,
  ]
  return { content: says(lines.join('\n')), structuredContent: { approval } }
}
