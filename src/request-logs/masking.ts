/**
 * Removes secrets from text that is about to be stored. It finds them in two ways:
 *
 *   by shape   what looks like a token is cut to its recognisable beginning, anywhere in the text: `nxk_live_Ab3d…`
 *   by name    the value under a name such as `password` or `app_secret`, at any depth, becomes `[masked]`
 *
 * The structure around a secret stays, so that one still sees the shape of a request. The text need not be valid JSON:
 * it is read token by token and never rejected. Escapes (`\u005f`, `%5F`) are undone before looking, so spelling a token
 * differently does not get it through. Every pattern also matches the beginning of a secret, because the text may end in
 * the middle of one; and none of them takes more than linear time, because the text is untrusted.
 */
export const MASK = '[masked]'

/** A custom header of a webhook endpoint is a credential under a name of the receiver's choice, such as x-functions-key. */
const NAMES =
  'passw|passphrase|pwd|secret|token|credential|(?:api|access|private|server|signing|signature|encryption)[_ -]?key|authorization|cookie|session[_ -]?id|custom[_ -]?headers'
/** Secret only when they are the whole name: "shipping" is not a PIN. */
const WHOLE_NAMES = 'auth|pass|pin|otp|cvv|cvc|jwt'

const SECRET_NAME = new RegExp(`${NAMES}|^(?:${WHOLE_NAMES})$`, 'i')

/** Matches every text that any pattern below matches; most texts need only this one test. */
const SUSPICIOUS = new RegExp(
  `${NAMES}|"(?:${WHOLE_NAMES})"|nx[kopr]_|whs|bearer|EAA|eyJ|xnd_|Mid-server|-----BEGIN|@|\\\\u`,
  'i',
)

/** `app_secret=…`, `token: …`, and the same inside JSON that was put into a string. */
const NAMED_VALUE = new RegExp(
  `((?:${NAMES})[\\w-]{0,40}\\\\{0,3}["']?\\s{0,10}[:=]\\s{0,10}\\\\{0,3}["']?)(?!\\[masked\\])[^\\s"'\\\\&,;)}\\]]+`,
  'gi',
)

const PATTERNS: [RegExp, string][] = [
  // These hold blanks: to the end of the line or of the quotation.
  [/((?:authorization|cookie)\\{0,3}["']?\s{0,10}[:=]\s{0,10}\\{0,3}["']?)(?!\[masked\])[^"'\\\r\n]+/gi, `$1${MASK}`],
  [NAMED_VALUE, `$1${MASK}`],
  [/(nx[kp]_[a-z]{1,10}_[0-9A-Za-z]{4})[0-9A-Za-z]+/g, '$1…'],
  [/(nx[or]_[0-9A-Za-z]{4})[0-9A-Za-z]+/g, '$1…'],
  [/(wh(?:sec|sk)_)[0-9A-Za-z+/=_-]+/g, '$1…'],
  [/(bearer\s{1,10})(?!\[masked\])[^\s"',;<>\\]{4,}/gi, `$1${MASK}`],
  [/(EAA)[0-9A-Za-z]{16,}/g, '$1…'],
  [/(?<![\w-])(eyJ)[\w-]{8,}\.[\w.-]*/g, '$1…'],
  [/(xnd_[a-z]{1,20}_)[\w+/=-]+/g, '$1…'],
  [/(Mid-server-)[\w-]+/g, '$1…'],
  [/(:\/\/[^\s/:@"']{0,200}:)[^\s/@"']{1,400}@/g, `$1${MASK}@`],
  // To its end, past dashes: one with a passphrase has headers such as "DEK-Info".
  [/(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)(?:(?!-----END)[\s\S])*/g, `$1${MASK}`],
]

const isSecretName = (name: string) => SECRET_NAME.test(name)

/** Masks running text: header values, sentences, and the strings inside JSON. */
export function maskText(text: string): string {
  if (!SUSPICIOUS.test(text)) return text
  let masked = text
  for (const [pattern, replacement] of PATTERNS) masked = masked.replace(pattern, replacement)
  return masked
}

export function maskBody(text: string): string {
  if (!SUSPICIOUS.test(text)) return text
  return /^\s*[{["]/.test(text) ? maskJson(text) : maskText(text)
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],:]|[^"{}[\],:]+/gs

function maskJson(text: string): string {
  const tokens = text.match(TOKEN) ?? []
  let masked = ''
  let depth = 0
  let secretDepth = Number.POSITIVE_INFINITY
  let isUnderSecretName = false
  for (const [index, token] of tokens.entries()) {
    if (token === '{' || token === '[') {
      depth += 1
      if (isUnderSecretName) secretDepth = Math.min(secretDepth, depth)
      isUnderSecretName = false
    } else if (token === '}' || token === ']') {
      if (depth === secretDepth) secretDepth = Number.POSITIVE_INFINITY
      depth -= 1
      isUnderSecretName = false
    } else if (token === ',') {
      isUnderSecretName = false
    } else if (token !== ':') {
      // Without quotes, what follows a secret name is its value even when it holds a colon.
      const isName = isBeforeColon(tokens, index) && !(isUnderSecretName && token[0] !== '"')
      if (isName) isUnderSecretName = isSecretName(unquote(token).trim())
      const isSecret = !isName && (isUnderSecretName || depth >= secretDepth)
      masked += isSecret ? hideValue(token) : maskValue(token)
      continue
    }
    masked += token
  }
  return masked
}

function isBeforeColon(tokens: readonly string[], index: number): boolean {
  const next = tokens[index + 1]
  return next === ':' || (next !== undefined && next.trim() === '' && tokens[index + 2] === ':')
}

/** The value of a token: escapes undone, quotes removed. */
function unquote(token: string): string {
  if (token[0] !== '"') return token.replaceAll("'", '')
  const inner = token.length > 1 && token.endsWith('"') ? token.slice(1, -1) : token.slice(1)
  if (!inner.includes('\\')) return inner
  try {
    return JSON.parse(`"${inner}"`)
  } catch {
    return inner
  }
}

/** Literals and blanks reveal nothing; every other value under a secret name is masked. */
function hideValue(token: string): string {
  const value = token.trim()
  if (value === '' || value === 'null' || value === 'true' || value === 'false') return token
  return token[0] === '"' ? `"${MASK}"` : token.replace(value, () => `"${MASK}"`)
}

function maskValue(token: string): string {
  if (token[0] !== '"') return maskText(token)
  const value = unquote(token)
  const masked = maskText(value)
  return masked === value ? token : JSON.stringify(masked)
}

const decodePart = (part: string) => {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return part
  }
}

const maskPart = (part: string) => {
  const decoded = decodePart(part)
  const masked = maskText(decoded)
  return masked === decoded ? part : encodeURIComponent(masked)
}

export function maskQuery(query: string): string {
  return query
    .split('&')
    .map((pair) => {
      const end = pair.indexOf('=')
      if (end === -1) return maskPart(pair)
      const name = pair.slice(0, end)
      const value = pair.slice(end + 1)
      return `${maskPart(name)}=${value !== '' && isSecretName(decodePart(name)) ? MASK : maskPart(value)}`
    })
    .join('&')
}

export function maskPath(path: string): string {
  if (!path.includes('%') && !SUSPICIOUS.test(path)) return path
  return path.split('/').map(maskPart).join('/')
}

/** Prepares text that a caller wrote for storage: masks it, then cuts it, and replaces characters that PostgreSQL refuses. */
const BODY_BYTES_MAX = 8192
/**
 * Only this much of a body is looked at: masking may shorten it, and beyond the cut nothing is stored. The patterns match
 * unfinished secrets too, so it does not matter where this window ends.
 */
const BODY_WINDOW_CHARACTERS = 12_288
const PATH_CHARACTERS_MAX = 2048
const QUERY_CHARACTERS_MAX = 4096
const TEXT_CHARACTERS_MAX = 2048

/** NUL and halves of characters become the replacement character. */
const sound = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd')

export const clean = (text: string) => sound(maskText(text).slice(0, TEXT_CHARACTERS_MAX))
export const cleanPath = (path: string) => sound(maskPath(path).slice(0, PATH_CHARACTERS_MAX))
export const cleanQuery = (query: string) => sound(maskQuery(query).slice(0, QUERY_CHARACTERS_MAX))

/** A header that carries a credential under any name; an Idempotency-Key is none. */
const SECRET_HEADER =
  /auth|cookie|secret|token|signature|credential|passw|session|^(?!idempotency-key$|key-expires-at$).*key/i
const HEADERS_MAX = 50
const HEADER_CHARACTERS_MAX = 500

/** By name, in lower case. */
export function cleanHeaders(headers: Headers): Record<string, string> {
  const cleaned: Record<string, string> = {}
  let left = HEADERS_MAX
  for (const [name, value] of headers) {
    if (left === 0) break
    left -= 1
    cleaned[sound(name)] = SECRET_HEADER.test(name) ? MASK : clean(value).slice(0, HEADER_CHARACTERS_MAX)
  }
  return cleaned
}

export function cleanBody(body: string): { text: string; isCut: boolean } {
  const isBeyondWindow = body.length > BODY_WINDOW_CHARACTERS
  const masked = sound(maskBody(isBeyondWindow ? body.slice(0, BODY_WINDOW_CHARACTERS) : body))
  const text = cutToBytes(masked, BODY_BYTES_MAX)
  return { text, isCut: text.length < masked.length || isBeyondWindow }
}

/** Never in the middle of a character. */
function cutToBytes(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax) return text
  const bytes = Buffer.from(text)
  let end = bytesMax
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1
  return bytes.toString('utf8', 0, end)
}
