import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

/** Receivers of webhooks as people write them: one by the book, and one for every usual mistake. On loopback only. */
export type ReceivedWebhook = { headers: IncomingHttpHeaders; body: Buffer }

/** The status to answer with. */
export type Handle = (webhook: ReceivedWebhook) => number | Promise<number>

export type WebhookReceiver = { url: string; received: ReceivedWebhook[]; stop(): void }

export async function startWebhookReceiver(
  handle: Handle,
  answerHeaders: Record<string, string> = {},
): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = []
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const webhook = { headers: request.headers, body: Buffer.concat(chunks) }
    received.push(webhook)
    const status = await Promise.resolve()
      .then(() => handle(webhook))
      .catch(() => 500)
    // Pages of errors tend to repeat the request.
    response.writeHead(status, answerHeaders).end(status < 400 ? 'ok' : JSON.stringify(request.headers))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const header = (headers: IncomingHttpHeaders, name: string) => String(headers[name] ?? '')

/** By the official library, answering 401 to whatever it refuses. */
export const byTheBook =
  (secret: string): Handle =>
  ({ headers, body }) => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>)
      return 204
    } catch {
      return 401
    }
  }

export const withoutVerification: Handle = () => 200

/** A verifier by hand, with a place for every mistake. */
export type Verifier = {
  key: Buffer
  content?: (id: string, timestamp: string, body: Buffer) => string | Buffer
  digest?: 'base64' | 'hex'
  matches?: (header: string, expected: string) => boolean
  toleranceSeconds?: number
  nowSeconds?: (timestamp: number) => number
}

const isSame = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

export const secretBytes = (secret: string) => Buffer.from(secret.slice('whsec_'.length), 'base64')

const wholeContent = (id: string, timestamp: string, body: Buffer) =>
  Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body])

const anyEntry = (text: string, expected: string) =>
  text.split(' ').some((entry) => entry.startsWith('v1,') && isSame(entry.slice('v1,'.length), expected))

export const byHand =
  ({ key, content = wholeContent, digest = 'base64', matches = anyEntry, toleranceSeconds = 300 }: Verifier): Handle =>
  ({ headers, body }) => {
    const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
      header(headers, name),
    ) as [string, string, string]
    if (Math.abs(Number(timestamp) - Date.now() / 1000) > toleranceSeconds) return 401
    const expected = createHmac('sha256', key)
      .update(content(id, timestamp, body))
      .digest(digest)
    return matches(signature, expected) ? 200 : 401
  }

export const typeOf = ({ body }: ReceivedWebhook): string => JSON.parse(body.toString()).type
