import { afterAll, beforeAll, expect, test } from 'bun:test'
import { anInstallation, type Installation, startServer, tokenIn, untilReady, untilSaid } from '../support/server.ts'
import { until } from '../support/until.ts'

/** `kill -9` at moments spread over start and load: what was answered is there afterwards, and the next start is normal. */
let installation: Installation
let token: string

beforeAll(async () => {
  // Written and read as fast as it answers.
  installation = await anInstallation({ NEXKIT_RATE_LIMIT_PER_SECOND: '10000', NEXKIT_RATE_LIMIT_BURST: '10000' })
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

/** One message after the other, until nobody answers any more. An answer that was cut off is none. */
async function writeUntilDead(answered: string[]): Promise<void> {
  for (;;) {
    const body = JSON.stringify({ to: '+6281311110000', body: 'Halo' })
    const reply = await call('/messages', { method: 'POST', body }).catch(() => null)
    if (reply === null) return
    expect(reply.status).toBe(201)
    const message = (await reply.json().catch(() => null)) as { id: string } | null
    if (message !== null) answered.push(message.id)
  }
}

test('killed at six moments of its start, it starts normally the seventh time', async () => {
  for (const delayMs of [5, 40, 90, 160, 250, 400]) {
    const server = startServer(installation)
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    await server.kill()
  }
  const server = startServer(installation)
  await untilReady(installation, server)
  expect(await server.stop()).toBe(0)
}, 60_000)

test('killed four times under load, it loses no message it had answered for', async () => {
  const answered: string[] = []
  for (const count of [1, 20, 60, 120]) {
    const server = startServer(installation)
    await untilReady(installation, server)
    const before = answered.length
    const writing = Promise.all(Array.from({ length: 10 }, () => writeUntilDead(answered)))
    await until(() => answered.length >= before + count)
    await server.kill()
    await writing
  }
  const server = startServer(installation)
  await untilReady(installation, server)
  const statuses = await Promise.all(answered.map(async (id) => (await call(`/messages/${id}`)).status))
  expect(statuses.filter((status) => status !== 200)).toEqual([])
  expect(new Set(answered).size).toBeGreaterThanOrEqual(201)
  expect(await server.stop()).toBe(0)
}, 90_000)
