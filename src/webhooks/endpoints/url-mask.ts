/**
 * A URL for logs and attempt records. Receivers put tokens into the query, and some (chat services above all) into the
 * path; every query value is masked, and path segments that look random, so that a log line is never a key.
 */
const MASK = '***'
const RANDOM_RUN_MIN = 16
const LONG_SEGMENT_MIN = 40

export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return '(unreadable URL)'
  const url = new URL(text)
  const credentials = url.username === '' && url.password === '' ? '' : `${MASK}@`
  return `${url.protocol}//${credentials}${url.host}${maskPath(url.pathname)}${maskQuery(url.search)}`
}

/** What a receiver points to, which may be a path or a query alone: it often repeats what it was called with. */
export function maskLocation(text: string): string {
  if (URL.canParse(text)) return maskUrl(text)
  const [, path, search] = /^([^?#]*)(\?[^#]*)?/.exec(text) as unknown as [string, string, string | undefined]
  return maskPath(path.replace(/^\/\/[^/]*@/, `//${MASK}@`)) + maskQuery(search ?? '')
}

const maskPath = (path: string) =>
  path
    .split('/')
    .map((segment) => (looksRandom(segment) ? MASK : segment))
    .join('/')

/** Words joined by dashes are kept, and so are version numbers and UUIDs; a long run of mixed letters and digits is not. */
function looksRandom(segment: string): boolean {
  if (segment.length >= LONG_SEGMENT_MIN) return true
  const runs = segment.match(/[A-Za-z0-9]+/g) ?? []
  return runs.some((run) => run.length >= RANDOM_RUN_MIN && /\d/.test(run) && /[A-Za-z]/.test(run))
}

/** Names stay readable; a part without a name is all value. */
function maskQuery(search: string): string {
  if (search === '' || search === '?') return search
  const parts = search
    .slice(1)
    .split('&')
    .map((part) => {
      const equals = part.indexOf('=')
      return equals === -1 ? (part === '' ? '' : MASK) : `${part.slice(0, equals)}=${MASK}`
    })
  return `?${parts.join('&')}`
}
