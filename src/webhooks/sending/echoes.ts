import type { OutboundResult } from '../../platform/outbound-http/outbound-client.ts'

/**
 * Receivers repeat what they were sent: the error page of many a framework lists the headers of the request and the
 * settings of the process. The values of custom headers are stored encrypted and never shown, and a signing secret is
 * shown once; neither may come back in the clear by way of what is kept of an answer.
 */
const MASK = '***'
/** A shorter value is a word rather than a credential, and would be found in every other answer. */
const CREDENTIAL_LENGTH_MIN = 8
/** The slashes of base 64 are escaped in the JSON of some languages. */
const SIGNING_SECRET = /wh(?:sec|sk)_[A-Za-z0-9+/=\\]{16,}/g

/** What of these headers must not be kept. Computed once per endpoint, the longest first. */
export function credentialsIn(headers: Readonly<Record<string, string>>): string[] {
  const values = Object.values(headers).flatMap((value) => [value, withoutScheme(value)])
  const spelt = values.flatMap((value) => [value, asJson(value), asJson(value).replaceAll('/', '\\/')])
  const credentials = spelt.filter((value) => value.length >= CREDENTIAL_LENGTH_MIN)
  return [...new Set(credentials)].sort((one, other) => other.length - one.length)
}

/** `Bearer` and the like say nothing; what follows is often repeated alone. */
const withoutScheme = (value: string) => value.replace(/^[A-Za-z]+ +/, '')
const asJson = (value: string) => JSON.stringify(value).slice(1, -1)

export function withoutEchoes(result: OutboundResult, credentials: readonly string[]): OutboundResult {
  const { responseHeaders, responseBody } = result
  if (responseHeaders === null || responseBody === null || !mayHold(result, credentials)) return result
  const maskBody = (text: string) => {
    const masked = mask(text, credentials)
    return result.isResponseTruncated ? maskCutEnd(masked, credentials) : masked
  }
  return {
    ...result,
    responseHeaders: maskValues(responseHeaders, credentials),
    responseBody: result.isResponseBodyBase64 ? overBytes(responseBody, maskBody) : maskBody(responseBody),
  }
}

/** Most answers are a word or nothing, and copying a result for nothing costs more than looking. */
const mayHold = (
  { responseHeaders, responseBody, isResponseBodyBase64 }: OutboundResult,
  credentials: readonly string[],
) =>
  credentials.length > 0 || isResponseBodyBase64 || holdsKey(responseBody ?? '') || anyHoldsKey(responseHeaders ?? {})

const holdsKey = (text: string) => text.includes('whsec_') || text.includes('whsk_')

function anyHoldsKey(headers: Readonly<Record<string, string>>): boolean {
  for (const name in headers) if (holdsKey(headers[name] ?? '')) return true
  return false
}

function maskValues(headers: Readonly<Record<string, string>>, credentials: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, mask(value, credentials)]))
}

/** One character per byte, there and back: all that is looked for is ASCII. */
const overBytes = (base64: string, change: (text: string) => string): string =>
  Buffer.from(change(Buffer.from(base64, 'base64').toString('latin1')), 'latin1').toString('base64')

function mask(text: string, credentials: readonly string[]): string {
  let masked = text
  for (const credential of credentials) masked = masked.replaceAll(credential, MASK)
  return masked.replace(SIGNING_SECRET, MASK)
}

/** What was cut off may end in the middle of one. */
function maskCutEnd(text: string, credentials: readonly string[]): string {
  for (const credential of credentials)
    for (let length = credential.length - 1; length >= CREDENTIAL_LENGTH_MIN; length--)
      if (text.endsWith(credential.slice(0, length))) return text.slice(0, -length) + MASK
  return text
}
