import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { citusUrl, createDatabase, whileUnused, withName } from '../../../test/support/cluster.ts'
import {
  anInstallation,
  type Installation,
  runCommand,
  startServer,
  tokenIn,
  untilReady,
  untilSaid,
} from '../../../test/support/server.ts'
import { until } from '../../../test/support/until.ts'

const readJson = async (installation: Installation, ...args: string[]): Promise<Record<string, unknown>> => {
  const { code, stdout, stderr } = await runCommand(installation, ...args, '--json')
  expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' })
  return JSON.parse(stdout)
}

test.skipIf(citusUrl() === null)(
  'an installation moves from the embedded PostgreSQL to a cluster with "move" and "cluster distribute", and works on',
  async () => {
    const embedded = await anInstallation()
    const first = startServer(embedded)
    await untilReady(embedded, first)
    await untilSaid(first, 'curl')
    const token = tokenIn(first.stdout())
    const call = async (path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const init = { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) }
      const answer = await fetch(`${embedded.url}/api/public/v1${path}`, init)
      return { status: answer.status, json: (await answer.json()) as Record<string, unknown> }
    }
    const before = await call('/messages', { to: '+6281311112222', body: 'Sebelum pindah' })
    expect([before.status, await first.stop()]).toEqual([201, 0])

    const serverUrl = citusUrl() as string
    const name = `nexkit_move_${process.pid}_${randomBytes(4).toString('hex')}`
    await createDatabase(serverUrl, name)
    const url = withName(serverUrl, name)
    expect(await runCommand(embedded, 'move', '--to', url)).toMatchObject({ code: 0 })
    const secretKey = (await readFile(join(embedded.dataDir, 'secret.key'), 'utf8')).trim()
    const environment = { ...embedded.environment, DATABASE_URL: url, NEXKIT_SECRET_KEY: secretKey }
    const moved = { ...embedded, environment }
    const planned = await readJson(moved, 'cluster', 'distribute', '--dry-run')
    expect(await readJson(moved, 'cluster', 'status')).toMatchObject({ is_distributed: false })
    const distributed = await readJson(moved, 'cluster', 'distribute', '--shards', '4')
    expect(distributed.tables).toEqual(planned.tables)
    expect(await readJson(moved, 'cluster', 'distribute')).toMatchObject({ tables: [] })
    expect(await readJson(moved, 'cluster', 'status')).toMatchObject({
      ...{ is_distributed: true, shards: 4, misplaced: [] },
      organizations: [{ slug: 'demo-store' }],
    })
    const { findings } = (await readJson(moved, 'doctor', '--deep')) as { findings: { status: string }[] }
    expect(findings.filter(({ status }) => status === 'failed')).toEqual([])

    const second = startServer(moved)
    await untilReady(moved, second)
    expect((await call(`/messages/${before.json.id}`)).json.body).toBe('Sebelum pindah')
    const after = await call('/messages', { to: '+6281311112222', body: 'Sesudah pindah' })
    expect(after.status).toBe(201)
    await until(async () => (await call(`/messages/${after.json.id}`)).json.status === 'delivered')
    expect(await second.stop()).toBe(0)
    await whileUnused(serverUrl, [name], `drop database ${name} with (force)`)
    await embedded.remove()
  },
  400_000,
)
