import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anInstallation, type Installation, startServer, tokenIn, untilReady, untilSaid } from '../support/server.ts'
import { until } from '../support/until.ts'

/** `kill -9` during a start and during a delivery; `torture.test.ts` does it under load. */
let installation: Installation
let token: string

beforeAll(async () => {
  installation = await anInstallation()
  const server = startServer(installation)
  await untilReady(installation, server)
  await untilSaid(server, 'curl')
  token = tokenIn(server.stdout())
  await server.stop()
})

afterAll(() => installation.remove())

const call = (path: string, init: RequestInit = {}) =>
  fetch(`${installation.url}/public/v1${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  })

test('killed at six moments of its start, it starts normally the seventh time', async () => {
  for (const delayMs of [5, 40, 90, 160, 250, 400]) {
    const server = startServer(installation)
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    await server.kill()
  }
  const server = startServer(installation)
  await untilReady(installation, server)
  expect(await server.stop()).toBe(0)
})

test('killed while a webhook is under way, it sends it again within 3 s of being ready', async () => {
  const received: string[] = []
  // Of the first server nothing is answered, so that its requests are under way when it is killed.
  let isAnswering = false
  const receiver = createServer((request, response) => {
    received.push(String(request.headers['webhook-id']))
    request.resume()
    if (isAnswering) response.writeHead(204).end()
  })
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
  const environment = { ...installation.environment, NEXKIT_ALLOW_PRIVATE_WEBHOOKS: '127.0.0.0/8' }
  const first = startServer({ ...installation, environment })
  await untilReady(installation, first)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const registered = await call('/webhook-endpoints', {
    method: 'POST',
    body: JSON.stringify({ url, events: ['message.*'] }),
  })
  expect(registered.status).toBe(201)
  await until(() => received.length > 0)
  await first.kill()
  isAnswering = true
  const [interrupted = ''] = received.splice(0)
  const second = startServer({ ...installation, environment })
  await untilReady(installation, second)
  const readyMs = performance.now()
  await until(() => received.includes(interrupted))
  expect(performance.now() - readyMs).toBeLessThan(3_000)
  await second.stop()
  receiver.close()
})
