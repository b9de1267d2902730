import type { Egress } from './egress.ts'

/**
 * Fetches a small document from an address that an unknown caller named: only from where the guard allows, no redirect
 * followed, nothing inflated, one deadline over all of it.
 */
export type DocumentFetch = (url: string) => Promise<{ body: string } | null>

const BYTES_MAX = 64 * 1024
const TIMEOUT_MS = 5000

export function createDocumentFetch(options: { egress: Egress; userAgent: string; ca?: string }): DocumentFetch {
  const { egress, userAgent, ca } = options
  return async (url) => {
    const checked = egress.check(url)
    if (!checked.ok) return null
    try {
      const response = await egress.fetch(checked.url, {
        headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': userAgent },
        signal: AbortSignal.timeout(TIMEOUT_MS),
        isRaw: true,
        ...(ca !== undefined && { ca }),
      })
      const isPlain = response.status === 200 && !response.headers.has('content-encoding')
      const body = isPlain ? await readText(response) : null
      if (body === null) await response.body?.cancel().catch(() => {})
      return body === null ? null : { body }
    } catch {
      return null
    }
  }
}

/** Null when there is more than that, or it is not UTF-8. */
async function readText(response: Response): Promise<string | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let [text, bytes] = ['', 0]
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > BYTES_MAX) return null
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
