/**
 * PostgreSQL arrays as text, both ways. The driver can learn array types by asking each new connection, but that costs a
 * round trip, ends the process when the connection is lost meanwhile, and reads NULL elements as the word; the few types
 * we use are declared here instead.
 */
type ElementType = { array: number; write: (value: never) => string; read: (text: string) => unknown }

const asText = (value: unknown) => String(value)
const asTime = (value: Date | string) => (value instanceof Date ? isoTime(value) : value)
const asBoolean = (value: boolean) => (value ? 't' : 'f')
const asBytes = (value: Uint8Array) => `\\x${Buffer.from(value).toString('hex')}`
const asJson = (value: unknown) => JSON.stringify(value)

export const ARRAY_OF_BOOLEANS = 1000
export const ARRAY_OF_BYTES = 1001
export const ARRAY_OF_TIMES = 1185

const elementTypes: Record<string, ElementType> = {
  booleans: { array: ARRAY_OF_BOOLEANS, write: asBoolean, read: (text) => text === 't' },
  bytes: { array: ARRAY_OF_BYTES, write: asBytes, read: (text) => Buffer.from(text.slice(2), 'hex') },
  times: { array: ARRAY_OF_TIMES, write: asTime, read: (text) => new Date(text) },
  smallints: { array: 1005, write: asText, read: Number },
  integers: { array: 1007, write: asText, read: Number },
  bigints: { array: 1016, write: asText, read: Number },
  doubles: { array: 1022, write: asText, read: Number },
  numerics: { array: 1231, write: asText, read: String },
  texts: { array: 1009, write: asText, read: String },
  varchars: { array: 1015, write: asText, read: String },
  uuids: { array: 2951, write: asText, read: String },
  json: { array: 199, write: asJson, read: JSON.parse },
  jsonb: { array: 3807, write: asJson, read: JSON.parse },
}

/** In the form in which the driver takes custom types. */
export const arrayTypes = Object.fromEntries(
  Object.entries(elementTypes).map(([name, { array, write, read }]) => [
    `array_of_${name}`,
    {
      to: array,
      from: [array],
      serialize: (values: unknown[]) =>
        (write === asText ? writeTexts(values) : null) ?? writeArray(values, write as (value: unknown) => string),
      parse: (text: string) => readArray(text, read),
    },
  ]),
)

/** The rows of a batch are created within a few milliseconds, so neighbouring times in an array are often equal. */
function isoTime(value: Date): string {
  const ms = value.getTime()
  if (ms !== lastMs) {
    lastText = value.toISOString()
    lastMs = ms
  }
  return lastText
}

let lastMs = Number.NaN
let lastText = ''

/**
 * Writes texts as JSON, which PostgreSQL reads as an array once the brackets are replaced. Returns null when a text holds a
 * character that JSON escapes differently (a line feed, a lone surrogate); the caller then quotes the texts in a loop. The
 * runtime writes JSON several times as fast as such a loop.
 */
function writeTexts(values: unknown[]): string | null {
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    if (typeof value !== 'string' && value !== null && value !== undefined) return null
  }
  const json = JSON.stringify(values)
  if (MAYBE_SPELLED.test(json) && SPELLED_BY_JSON.test(json)) return null
  return `{${json.slice(1, -1)}}`
}

/** Matches a backslash that escapes neither a quotation mark nor a backslash; and a cheap test that finds candidates. */
const SPELLED_BY_JSON = /(?:^|[^\\])(?:\\\\)*\\[^"\\]/
const MAYBE_SPELLED = /\\[bfnrtu]/

/** One string grown in place: a batch writes tens of thousands of elements, and map and join take a third longer. */
function writeArray(values: unknown[], write: (value: unknown) => string): string {
  let text = '{'
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    if (index > 0) text += ','
    text += value === null || value === undefined ? 'null' : quote(write(value))
  }
  return `${text}}`
}

/** Text that can be nothing but itself inside an array: ids, numbers, times. The empty string and the word null are not. */
const PLAIN = /^(?!null$)[\w.:+-]+$/i

/** Most text holds no backslash, and looking for one is cheaper than replacing none. */
function quote(text: string): string {
  if (PLAIN.test(text)) return text
  const escaped = text.includes('\\') ? text.replaceAll('\\', '\\\\') : text
  return `"${escaped.includes('"') ? escaped.replaceAll('"', '\\"') : escaped}"`
}

/** One dimension. A bare NULL is null; a quoted "NULL" is the word. */
function readArray(text: string, read: (text: string) => unknown): unknown[] {
  const values: unknown[] = []
  let index = 1
  while (index < text.length - 1) {
    const isQuoted = text[index] === '"'
    const end = isQuoted ? closingQuote(text, index) : nextComma(text, index)
    const raw = isQuoted ? text.slice(index + 1, end).replaceAll(/\\(.)/gs, '$1') : text.slice(index, end)
    values.push(!isQuoted && raw === 'NULL' ? null : read(raw))
    index = end + (isQuoted ? 2 : 1)
  }
  return values
}

function closingQuote(text: string, start: number): number {
  let index = start + 1
  while (text[index] !== '"') index += text[index] === '\\' ? 2 : 1
  return index
}

const nextComma = (text: string, start: number) => {
  const comma = text.indexOf(',', start)
  return comma === -1 ? text.length - 1 : comma
}
