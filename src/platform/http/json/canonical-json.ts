/**
 * JSON in one agreed spelling (RFC 8785): members sorted by UTF-16 code units, no spaces, numbers and strings as
 * ECMAScript writes them. Two texts of the same value give the same bytes, so their hashes can be compared.
 * As in JSON.stringify, undefined members are absent and a Date is its ISO text; anything else that JSON cannot express
 * is a bug of the caller and throws.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (value instanceof Date) return canonicalJson(value.toJSON())
  if (isPlainObject(value)) return `{${canonicalMembers(value)}}`
  throw new TypeError(`no canonical JSON for a value of type ${typeof value}`)
}

function canonicalMembers(object: Record<string, unknown>): string {
  const members: string[] = []
  for (const name of Object.keys(object).sort()) {
    const member = object[name]
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${canonicalJson(member)}`)
  }
  return members.join(',')
}

/** A Map or a Set would be written as {}, so different requests would look alike. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
