import { systemClock } from '../../src/kernel/clock.ts'
import { parseCidr } from '../../src/platform/http/limits/client-address.ts'
import {
  createOutboundClient,
  type OutboundClient,
  type OutboundClientOptions,
  type OutboundRequest,
  type OutboundResult,
} from '../../src/platform/outbound-http/outbound-client.ts'
import { type Receiver, type ReceiverOptions, startReceiver } from './receiver.ts'

/** A delivery client that may reach loopback, and receivers for it; a test file closes all of them at its end. */
export type DeliveryBench = {
  client(options?: Partial<OutboundClientOptions>): OutboundClient
  receiver(options: ReceiverOptions): Promise<Receiver>
  /** One attempt by a separate client. */
  post(
    url: string,
    request?: Partial<OutboundRequest>,
    options?: Partial<OutboundClientOptions>,
  ): Promise<OutboundResult>
  close(): void
}

export const anAttempt = (url: string, overrides: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' },
  body: Buffer.from('{"note":"café ☕"}'),
  timeoutMs: 5000,
  connectTimeoutMs: 2000,
  ...overrides,
})

export function openDeliveryBench(): DeliveryBench {
  const closers: (() => void)[] = []
  const client = (options: Partial<OutboundClientOptions> = {}) => {
    const client = createOutboundClient({
      allowedRanges: [parseCidr('127.0.0.0/8'), parseCidr('::1/128')],
      clock: systemClock,
      userAgent: 'Nexkit/test',
      controlHeader: 'webhook-delivery',
      resolve: async () => ['127.0.0.1'],
      ...options,
    })
    closers.push(() => client.close())
    return client
  }
  return {
    client,
    async receiver(options) {
      const receiver = await startReceiver(options)
      closers.push(() => receiver.stop())
      return receiver
    },
    post: (url, request, options) => client(options).send(anAttempt(url, request)),
    close() {
      for (const close of closers) close()
    },
  }
}
