import { afterAll, expect, test } from 'bun:test'
import { until } from '../support/until.ts'
import { createKey, openCluster } from './cluster.ts'
import { isInstalled, startProxy } from './haproxy.ts'

/** In the suite a short form; `npm run test:nodes` asks for more. */
const REQUESTS = Number(process.env.NODE_TEST_REQUESTS ?? 1_000)
const CLIENTS = 8
const title = 'a rolling restart of all nodes behind HAProxy fails no request'
const undo: (() => Promise<unknown>)[] = []

afterAll(async () => {
  for (const step of undo.toReversed()) await step()
})

test.skipIf(!isInstalled('haproxy'))(
  isInstalled('haproxy') ? title : `${title} (left out: install haproxy)`,
  async () => {
    const { nodes, installation } = await openCluster(undo, [
      { name: 'api-1', role: 'api' },
      { name: 'api-2', role: 'api' },
      { name: 'worker', role: 'worker' },
    ])
    const ports = nodes.filter(({ role }) => role === 'api').map(({ url }) => Number(new URL(url).port))
    const proxy = await startProxy(installation.dataDir, ports)
    undo.push(() => proxy.stop())
    await until(() => proxy.countUp().then((count) => count === ports.length))
    const { token } = await createKey(installation)

    const load = startRequests(`${proxy.url}/api/public/v1`, token)
    let restarts = 0
    while (load.answered() < REQUESTS || restarts < nodes.length) {
      const node = nodes[restarts % nodes.length] as (typeof nodes)[number]
      expect(await node.stop()).toBe(0)
      node.start()
      await node.untilReady()
      await until(() => proxy.countUp().then((count) => count === ports.length))
      restarts += 1
      const before = load.answered()
      await until(() => load.answered() >= before + REQUESTS / 20)
    }
    await load.stop()
    process.stdout.write(`${JSON.stringify({ answered: load.answered(), failed: load.failed.length, restarts })}\n`)
    expect(load.failed).toEqual([])
  },
  900_000,
)

type Requests = { answered(): number; failed: string[]; stop(): Promise<void> }

/** Each request is sent once: what fails is not repeated. */
function startRequests(api: string, token: string): Requests {
  const failed: string[] = []
  let [count, nth, isOver] = [0, 0, false]
  const call = (method: string, path: string, body?: object) => ({ method, path, body })
  const kinds = [
    () => call('GET', '/me'),
    () => call('POST', '/messages', { to: `+62813${10_000_000 + (nth % 500)}`, body: `Halo ${nth}` }),
    () => call('GET', '/chats?limit=10'),
    () => call('POST', '/orders', { billingType: 'cash', amount: 25_000 }),
  ]
  const client = async () => {
    while (!isOver) {
      nth += 1
      const { method, path, body } = (kinds[nth % kinds.length] as (typeof kinds)[number])()
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      try {
        const answer = await fetch(`${api}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
        const text = await answer.text()
        if (answer.ok) count += 1
        else failed.push(`${method} ${path} answered ${answer.status}: ${text.slice(0, 200)}`)
      } catch (error) {
        failed.push(`${method} ${path}: ${error}`)
      }
    }
  }
  const clients = Array.from({ length: CLIENTS }, client)
  return {
    answered: () => count,
    failed,
    async stop() {
      isOver = true
      await Promise.all(clients)
    },
  }
}
