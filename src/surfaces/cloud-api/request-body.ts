import { isRecord } from '../../kernel/records.ts'
import { bodyTooLarge, requestTimeout } from '../../platform/http/http.errors.ts'
import { decodeUtf8Strict, parseStrictJson } from '../../platform/http/json/strict-json.ts'
import { readBody } from '../../platform/http/pipeline/body-reader.ts'
import type { CloudApiCall, CloudApiContext } from './cloud-api-context.ts'
import { requestInvalid } from './cloud-api-problem.ts'

type ReadCall = Pick<CloudApiCall, 'request' | 'exchange'>

/** A form, or JSON whatever its Content-Type says: clients exist that send JSON under any name. */
export async function readJson({ bodyBytesMax, bodyTimeoutMs }: CloudApiContext, call: ReadCall): Promise<unknown> {
  const read = await readBody(call.request, { bytesMax: bodyBytesMax, timeoutMs: bodyTimeoutMs })
  if (!read.ok) {
    if (read.reason === 'too_large') throw bodyTooLarge()
    if (read.reason === 'timeout') throw requestTimeout()
    throw requestInvalid('The body cannot be read. Send it plain or as gzip.')
  }
  call.exchange.requestBytes = read.bytes.byteLength
  const text = decodeUtf8Strict(read.bytes)
  if (text === null) throw requestInvalid('The body is not valid UTF-8.')
  call.exchange.requestBody = text
  if (isForm(call.request)) return Object.fromEntries(new URLSearchParams(text))
  const parsed = parseStrictJson(text)
  if (parsed.ok) return parsed.value
  const tolerated = parseStrictJson(withoutTrailingCommas(text))
  if (!tolerated.ok) throw requestInvalid(`The body cannot be read as JSON: ${parsed.problem.detail}`)
  return tolerated.value
}

/** A comma before a closing bracket is ignored, as Graph does: one of Meta's own samples sends such bodies. */
function withoutTrailingCommas(text: string): string {
  const kept: string[] = []
  let [from, comma, isInString] = [0, -1, false]
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string
    if (isInString && character === '\\') at += 1
    else if (character === '"') isInString = !isInString
    if (isInString || /\s/.test(character)) continue
    if (comma >= 0 && (character === '}' || character === ']')) {
      kept.push(text.slice(from, comma))
      from = comma + 1
    }
    comma = character === ',' ? at : -1
  }
  return kept.join('') + text.slice(from)
}

/** Objects in a form are JSON in a string, which the reader of the request unpacks. */
const isForm = ({ headers }: Request) =>
  headers.get('content-type')?.toLowerCase().startsWith('application/x-www-form-urlencoded') ?? false

/** The body of a call that may come without one, with objects unpacked. */
export async function readFields(context: CloudApiContext, call: ReadCall): Promise<Record<string, unknown>> {
  if (call.request.body === null || call.request.headers.get('content-length') === '0') return {}
  const body = await readJson(context, call)
  if (!isRecord(body)) throw requestInvalid('The body must be a JSON object.')
  return isForm(call.request)
    ? Object.fromEntries(Object.entries(body).map(([name, value]) => [name, unpacked(value)]))
    : body
}

/** The graph takes objects and arrays as JSON in a string as well, and clients exist that send them so. */
export function unpacked(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  const parsed = parseStrictJson(value)
  return parsed.ok ? parsed.value : value
}
