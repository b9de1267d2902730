import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  anInstallation,
  type Installation,
  type Running,
  runCommand,
  startServer,
  untilReady,
} from '../support/server.ts'
import { until } from '../support/until.ts'

/** `kill -9` at moments spread over start and load: what was answered is there afterwards, and the next start is normal. */
let installation: Installation

beforeAll(async () => {
  installation = await anInstallation()
  const server = startServer(installation)
  await untilReady(installation, server)
  await server.stop()
})

afterAll(() => installation.remove())

const createKey = async (name: string) => {
  const result = await runCommand(
    installation,
    'key',
    'create',
    '--org',
    'demo-store',
    '--name',
    name,
    '--scopes',
    'all',
    '--json',
  )
  return result.code === 0 ? (JSON.parse(result.stdout) as { token: string }).token : null
}

const isAccepted = (token: string) =>
  fetch(`${installation.url}/public/v1/me`, { headers: { authorization: `Bearer ${token}` } }).then(
    (response) => response.status === 200,
    () => false,
  )

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

test('killed four times under load, it loses no key it had answered for', async () => {
  const answered: string[] = []
  for (let round = 0; round < 4; round++) {
    const server: Running = startServer(installation)
    await untilReady(installation, server)
    for (const token of answered) await until(() => isAccepted(token))
    const first = await createKey(`Round ${round}`)
    if (first !== null) answered.push(first)
    const writing = createKey(`Interrupted ${round}`)
    const reading = Promise.allSettled(answered.flatMap((token) => Array.from({ length: 20 }, () => isAccepted(token))))
    await new Promise((resolve) => setTimeout(resolve, 60 * round))
    await server.kill()
    const interrupted = await writing
    if (interrupted !== null) answered.push(interrupted)
    await reading
  }
  const server = startServer(installation)
  await untilReady(installation, server)
  for (const token of answered) expect(await isAccepted(token)).toBe(true)
  expect(answered.length).toBeGreaterThanOrEqual(4)
  expect(await server.stop()).toBe(0)
}, 90_000)
