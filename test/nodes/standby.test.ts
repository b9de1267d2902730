import { afterAll, expect, test } from 'bun:test'
import { openDatabase } from '../../src/platform/database/database.ts'
import { createRandom } from '../support/random.ts'
import { runCommand } from '../support/server.ts'
import { until } from '../support/until.ts'
import { countAnswered, newHistory, startLoad } from '../torture/load.ts'
import type { ServingNode } from '../torture/nodes.ts'
import { openShop } from '../torture/shop.ts'
import { judgeBooks, verify } from '../torture/verify.ts'
import { openCluster } from './cluster.ts'
import { type Pair, startPair } from './standby.ts'

/** As many before the failover as after it. */
const ANSWERS = 300
/** Graph's error when too many messages were sent: nothing is sent, and it is worth another try. */
const RATE_LIMITED = 130_429

const undo: (() => Promise<unknown>)[] = []

afterAll(async () => {
  for (const step of undo.toReversed()) await step()
})

/** Only in `npm run test:nodes`. */
const nodeTest = test.skipIf(process.env.NEXKIT_NODE_TESTS !== '1')

nodeTest(
  'nodes lose nothing that they answered when a synchronous standby is promoted under load',
  async () => {
    const pair = await startPair({ isSynchronous: true })
    undo.push(pair.stop)
    const roster = [
      { name: 'node', role: 'all' },
      { name: 'api', role: 'api' },
    ] as const
    const { nodes, installation } = await openCluster(undo, roster, pair.url)
    const random = createRandom(1)
    const shop = await openShop(installation, { slug: 'standby', random, url: nodes[0]?.url ?? '' })
    undo.push(shop.stop)
    const history = newHistory()
    const load = startLoad({ shop, history, random, clients: 4, urls: nodes.map((node) => node.url) })
    await until(() => countAnswered(history) >= ANSWERS, 120_000)
    const startedMs = performance.now()
    await pair.failOver()
    const atFailover = countAnswered(history)
    await until(() => countAnswered(history) > atFailover)
    const awayMs = Math.round(performance.now() - startedMs)
    await until(() => countAnswered(history) >= atFailover + ANSWERS, 120_000)
    await load.endClients()
    const database = openDatabase({ url: pair.standbyUrl, connectionsMax: 1 })
    undo.push(() => database.close())
    await until(async () => (await verify(database, shop, history)).violations.length === 0, 120_000).catch(() => {})
    await load.stop()
    const { violations, counts } = await verify(database, shop, history)
    process.stdout.write(`${JSON.stringify({ ...counts, awayMs })}\n`)
    expect([...violations, ...(await judgeBooks(database))]).toEqual([])
  },
  600_000,
)

nodeTest(
  'nothing is sent a second time unseen when a standby that lags is promoted and "nexkit pause" is run',
  async () => {
    const pair = await startPair({ isSynchronous: false })
    undo.push(pair.stop)
    const { nodes, installation } = await openCluster(undo, [{ name: 'lagging', role: 'all' }], pair.url)
    const node = nodes[0] as ServingNode
    const shop = await openShop(installation, { slug: 'lagging', random: createRandom(1), url: node.url })
    undo.push(shop.stop)
    const call = async (path: string, body?: object) => {
      const headers = { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' }
      const init = { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) }
      const answer = await fetch(`${node.url}/api/public/v1${path}`, init)
      return { status: answer.status, json: (await answer.json()) as Record<string, unknown> }
    }

    // The message is pending when the standby falls behind, and is sent afterwards.
    shop.graph.failWhen = () => ({ kind: 'error', code: RATE_LIMITED, headers: { 'retry-after': '5' } })
    const sent = await call('/messages', { to: '+6281310000001', body: 'Halo' })
    expect(sent.status).toBe(201)
    await untilRetrying(pair, String(sent.json.id))
    await pair.cutOff()
    shop.graph.failWhen = null
    const lost = await call('/messages', { to: '+6281310000002', body: 'Hilang' })
    await until(() => shop.graph.accepted.length === 2)
    const newest = ((await call('/events?limit=1')).json.data as { sequence: number }[])[0]?.sequence

    await node.stop()
    await pair.failOver()
    expect(await runCommand(installation, 'pause')).toMatchObject({ code: 0 })
    node.start()
    await node.untilReady()
    expect((await call(`/messages/${lost.json.id}`)).status).toBe(404)
    expect(await call(`/events?after=${newest}`)).toMatchObject({ status: 410, json: { code: 'events_expired' } })
    expect((await call('/messages', { to: '+6281310000003', body: 'Baru' })).status).toBe(201)
    const doctor = await runCommand(installation, 'doctor', '--json')
    expect(doctor.stdout).toContain('since a restore, an import or a failover nothing is sent')
    expect(shop.graph.accepted).toHaveLength(2)

    // What was seen and is wanted is sent.
    expect(await runCommand(installation, 'resume')).toMatchObject({ code: 0 })
    await until(() => shop.graph.accepted.length === 4)
    const texts = shop.graph.accepted.map(({ body }) => (body.text as { body: string }).body)
    expect(texts.toSorted()).toEqual(['Baru', 'Halo', 'Halo', 'Hilang'])
  },
  600_000,
)

/** Until the standby has recorded a failed attempt at the message. */
async function untilRetrying({ standbyUrl }: Pair, messageId: string): Promise<void> {
  const standby = openDatabase({ url: standbyUrl, connectionsMax: 1 })
  const waiting = () => standby.many`
    select 1 from outbox_entries where id = ${messageId} and state = 'waiting' and attempt > 0`
  await until(async () => (await waiting()).length > 0).finally(() => standby.close())
}
