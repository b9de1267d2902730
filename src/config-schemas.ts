import { z } from 'zod'
import { parseCidr } from './platform/http/limits/client-address.ts'

/** How the values of settings are written in the environment. */
export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`)

export const onOff = z
  .enum(['0', '1', 'true', 'false', 'on', 'off'], 'must be 1 or 0')
  .transform((value) => value === '1' || value === 'true' || value === 'on')

export const cidrList = z.string().transform((text, context) => {
  const parts = text.split(',').flatMap((part) => part.trim() || [])
  for (const part of parts) {
    try {
      parseCidr(part)
    } catch {
      context.addIssue(`"${part}" is not an address range such as 10.0.0.0/8`)
    }
  }
  return parts
})

export const portList = z.string().transform((text, context) =>
  text.split(',').flatMap((part) => {
    const port = Number(part.trim())
    if (part.trim() === '') return []
    if (!Number.isInteger(port) || port < 1 || port > 65535) context.addIssue(`"${part}" is not a port, 1 to 65535`)
    return port
  }),
)

export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be a URL such as https://pay.example.com' })
  .transform((url) => url.replace(/\/+$/, ''))

/** `name=value` pairs as OpenTelemetry writes them: joined with commas, percent-encoded. */
export const pairList = z.string().transform((text, context) => {
  const pairs: Record<string, string> = {}
  for (const pair of text.split(',').filter((part) => part.trim() !== '')) {
    const at = pair.indexOf('=')
    const name = pair.slice(0, Math.max(at, 0)).trim()
    const value = decodePercent(pair.slice(at + 1).trim())
    // The pair may hold a token, so the sentence does not repeat it.
    if (name === '' || value === null) context.addIssue('must be name=value pairs joined with commas, such as a=1,b=2')
    else pairs[name] = value
  }
  return pairs
})

function decodePercent(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** Secrets travel to this address, so plain http is for a provider on the same machine only. */
export const issuerUrl = httpUrl.refine(
  (url) => url.startsWith('https:') || ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname),
  'must begin with https://',
)

export const otlpOrNone = z.enum(['otlp', 'none'], 'must be otlp or none')
