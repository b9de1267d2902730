import { createHash } from 'node:crypto'
import type { ChannelConnector, ChannelFailure, ChannelNumber, DownloadOutcome } from '../../channel-connector.ts'
import { failureOfStatus, notReached, refusedHere } from './graph-failures.ts'
import { type JsonObject, textOf } from './json-reading.ts'
import { type BytesOutcome, baseUrlOf, type GraphClient } from './whatsapp-cloud.client.ts'

/**
 * A file that a customer sent: first its descriptor, then its bytes from the address in it. That address holds for five
 * minutes and needs our token, so the token goes to Meta's own media hosts and to the configured one, and nowhere else.
 */
const MEDIA_HOSTS = /(?:^|\.)fbsbx\.com$/

/** The largest file WhatsApp carries is 100 MB. */
const BYTES_MAX = 105 * 1024 * 1024

type Download = ChannelConnector['downloadMedia']
type Descriptor = { url: URL; mimeType: string | null; sha256: string | null }

export function createMediaDownload(client: GraphClient, { timeoutMs }: { timeoutMs: number }): Download {
  return async (number, providerMediaId, signal) => {
    const first = await fetchOnce(client, number, { providerMediaId, timeoutMs, signal })
    // The address was too old: a new descriptor has a new one.
    return first === 'expired'
      ? settled(await fetchOnce(client, number, { providerMediaId, timeoutMs, signal }))
      : first
  }
}

const refused = (failure: ChannelFailure): DownloadOutcome => ({ kind: 'refused', failure })

const settled = (outcome: DownloadOutcome | 'expired'): DownloadOutcome =>
  outcome === 'expired' ? refused(notReached('The address of the file was refused twice.')) : outcome

type Wanted = { providerMediaId: string; timeoutMs: number; signal: AbortSignal }

async function fetchOnce(
  client: GraphClient,
  number: ChannelNumber,
  { providerMediaId, timeoutMs, signal }: Wanted,
): Promise<DownloadOutcome | 'expired'> {
  const path = encodeURIComponent(providerMediaId)
  const query = { phone_number_id: number.phoneNumberId }
  const answer = await client.call(number, { method: 'GET', path, query }, signal)
  if (answer.kind === 'refused') return refused(answer.failure)
  if (answer.kind === 'lost') return refused(notReached(`No answer came: ${answer.detail}`))
  const descriptor = readDescriptor(answer.body)
  if (descriptor === null) return refused(notReached('The network described the file without an address.'))
  if (!isTrusted(number, descriptor.url))
    return refused(refusedHere('media_host_unknown', `The file is at ${descriptor.url.host}, which is not known.`))
  const bytes = await client.fetchBytes(number, descriptor.url, { bytesMax: BYTES_MAX, timeoutMs, signal })
  return judge(bytes, descriptor)
}

function readDescriptor(body: JsonObject): Descriptor | null {
  const text = textOf(body.url)
  if (text === null || !URL.canParse(text)) return null
  return { url: new URL(text), mimeType: textOf(body.mime_type), sha256: textOf(body.sha256) }
}

function isTrusted(number: ChannelNumber, url: URL): boolean {
  if (url.origin === new URL(baseUrlOf(number)).origin) return true
  return url.protocol === 'https:' && url.port === '' && MEDIA_HOSTS.test(url.hostname)
}

function judge(outcome: BytesOutcome, { mimeType, sha256 }: Descriptor): DownloadOutcome | 'expired' {
  if (outcome.kind === 'status')
    return outcome.status === 404 ? 'expired' : refused(failureOfStatus(outcome.status, outcome.retryAfterMs))
  if (outcome.kind === 'lost') return refused(notReached(`The file did not come: ${outcome.detail}`))
  if (outcome.kind === 'too_large') return refused(refusedHere('media_too_large', 'The file is larger than 100 MB.'))
  if (!isWhole(outcome.bytes, sha256)) return refused(notReached('The file arrived with another checksum.'))
  return { kind: 'done', mimeType: mimeType ?? outcome.mimeType ?? 'application/octet-stream', bytes: outcome.bytes }
}

const CHECKSUM = /^(?:[0-9A-Fa-f]{64}|[A-Za-z0-9+/]{43}=)$/

/** In hexadecimal in a descriptor, in base 64 in a webhook; either is taken. What is no checksum says nothing of the bytes. */
function isWhole(bytes: Uint8Array, sha256: string | null): boolean {
  if (sha256 === null || !CHECKSUM.test(sha256)) return true
  const digest = createHash('sha256').update(bytes).digest()
  return sha256.toLowerCase() === digest.toString('hex') || sha256 === digest.toString('base64')
}
