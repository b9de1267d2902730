import { parseQualityList } from './quality-list.ts'

/** Whether an answer in `application/json` is welcome. The most specific range that covers it decides (RFC 9110 §12.5.1). */
export function acceptsJson(header: string | null): boolean {
  if (header === null || header === '' || header === '*/*' || header === 'application/json') return true
  const wanted = parseQualityList(header)
  for (const range of ['application/json', 'application/*', '*/*']) {
    const matches = wanted.filter(({ name }) => name === range)
    if (matches.length > 0) return matches.some(({ quality }) => quality > 0)
  }
  return false
}

const JSON_WITH_PARAMETERS = /^application\/json[ \t]*(?:;|$)/i
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*"?([^";\s]*)"?/i

/** Parameters are allowed, but a charset that is not UTF-8 announces bytes we would misread. */
export function isJsonContentType(header: string | null): boolean {
  if (header === null) return false
  if (header === 'application/json') return true
  if (!JSON_WITH_PARAMETERS.test(header)) return false
  const charset = CHARSET.exec(header)?.[1]?.toLowerCase()
  return charset === undefined || charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii'
}
