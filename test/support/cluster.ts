import { test } from 'bun:test'
import { placeOf } from '../../src/boot/tables.ts'
import { listNodes } from '../../src/platform/cluster/distribution.sql.ts'
import { distribute } from '../../src/platform/cluster/distribution.ts'
import { type Database, openDatabase } from '../../src/platform/database/database.ts'
import { inventedOrganizations } from './invented-organizations.ts'

/**
 * The servers of test databases: one PostgreSQL, or the nodes of a Citus cluster when NEXKIT_TEST_CITUS_URL is the address of a
 * database on its coordinator. A database of a cluster is a database of the same name on every node, and so is a copy of it: what
 * Citus knows of the nodes does not name the database.
 */
export const citusUrl = (): string | null => process.env.NEXKIT_TEST_CITUS_URL || null

/**
 * For a test of something that a cluster has differently, such as the statistics of one node: `onOnePostgres('why')('title', …)`. On a
 * cluster the report lists it as skipped, with the reason.
 */
export const onOnePostgres =
  (reason: string) => (title: string, run: () => undefined | Promise<unknown>, timeoutMs?: number) =>
    citusUrl() === null ? test(title, run, timeoutMs) : test.skip(`${title} (on a cluster: ${reason})`, run, timeoutMs)

export const withName = (serverUrl: string, name: string) => {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** As few as make a difference: two on each worker. */
const SHARDS = 4

type NodeAddress = { url: string; name: string; port: number }

let nodes: Promise<NodeAddress[]> | undefined

/** The coordinator comes first. */
export function listServers(serverUrl: string): Promise<NodeAddress[]> {
  nodes ??= citusUrl() === null ? Promise.resolve([addressOf(serverUrl)]) : readNodes(serverUrl)
  return nodes
}

const addressOf = (url: string): NodeAddress => ({ url, name: new URL(url).hostname, port: Number(new URL(url).port) })

async function readNodes(serverUrl: string): Promise<NodeAddress[]> {
  const database = openDatabase({ url: serverUrl, connectionsMax: 1 })
  const rows = await listNodes(database)
  await database.close()
  return rows.map(({ name, port }) => {
    const url = new URL(serverUrl)
    url.host = `${name}:${port}`
    return { url: url.href, name, port }
  })
}

/** Connections of the process, kept for all its files, that create and drop databases. */
const kept = new Map<string, Database>()

function adminOf({ url }: NodeAddress): Database {
  const known = kept.get(url)
  if (known !== undefined) return known
  const database = openDatabase({ url: withName(url, 'postgres'), connectionsMax: 1, statementTimeoutMs: 60_000 })
  kept.set(url, database)
  return database
}

/** The same on every node; on the coordinator last, so that a database that exists there is complete. */
async function onEveryServer(serverUrl: string, text: string): Promise<void> {
  const [coordinator, ...workers] = await listServers(serverUrl)
  await Promise.all(workers.map((node) => adminOf(node).script(text)))
  if (coordinator !== undefined) await adminOf(coordinator).script(text)
}

/** A new database, empty of tables. */
export async function createDatabase(serverUrl: string, name: string): Promise<void> {
  await onEveryServer(serverUrl, `create database ${name}`)
  if (citusUrl() === null) return
  const servers = await listServers(serverUrl)
  for (const { url } of servers) await runIn(withName(url, name), 'create extension citus')
  const [coordinator, ...workers] = servers
  if (coordinator === undefined) return
  const place = ({ name: host, port }: NodeAddress) => `'${host}', ${port}`
  await runIn(
    withName(coordinator.url, name),
    [
      `select citus_set_coordinator_host(${place(coordinator)})`,
      ...workers.map((node) => `select citus_add_node(${place(node)})`),
    ].join(';'),
  )
}

async function runIn(url: string, text: string): Promise<void> {
  const database = openDatabase({ url, connectionsMax: 1, statementTimeoutMs: 60_000 })
  await database.script(text)
  await database.close()
}

export async function distributeTables(database: Database): Promise<void> {
  await distribute(database, { placeOf, shards: SHARDS })
  await database.run`insert into organization_homes (org_id) select * from unnest(${[...inventedOrganizations]}::text[])`
}

const TRIES_MAX = 50

/** Nothing may be connected to a database that is renamed or copied, and Citus keeps a process in each that it has seen. */
export async function closeToOthers(serverUrl: string, name: string): Promise<void> {
  if (citusUrl() === null) return
  await onEveryServer(
    serverUrl,
    `alter database ${name} allow_connections false;
     select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
  )
}

/** The process of Citus may come back for a moment, because it cannot know that it is not wanted. */
export async function whileUnused(serverUrl: string, names: readonly string[], text: string): Promise<void> {
  const isBusy = (error: unknown) => (error as { code?: string }).code === '55006'
  for (const node of (await listServers(serverUrl)).toReversed())
    for (let tries = 1; ; tries++) {
      try {
        await adminOf(node).script(text)
        break
      } catch (error) {
        if (!isBusy(error) || tries >= TRIES_MAX) throw error
        const list = names.map((name) => `'${name}'`).join()
        await adminOf(node).script(
          `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname in (${list})`,
        )
      }
    }
}
