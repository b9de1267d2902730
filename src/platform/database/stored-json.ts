/**
 * JSON as text, for columns of type jsonb. What came from outside may hold characters that PostgreSQL refuses: NUL, and
 * halves of surrogate pairs. One of them must not cost a message.
 */
export const asJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

export const cleanText = (text: string): string => text.toWellFormed().replaceAll('\u0000', '\ufffd')

/** The same value with clean strings throughout, in the names of members too. */
export function cleanJson<Value>(value: Value): Value {
  if (typeof value === 'string') return cleanText(value) as Value
  if (Array.isArray(value)) return value.map(cleanJson) as Value
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  const members = Object.entries(value).map(([name, member]) => [cleanText(name), cleanJson(member)])
  return Object.fromEntries(members) as Value
}
