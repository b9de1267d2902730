import { expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { until } from '../../../test/support/until.ts'
import { openDatabase, type Queries } from './database.ts'

const db = useTestDatabase()

const slowBackendOf = async (queries: Pick<Queries, 'one'>) =>
  (await queries.one<{ pid: number }>`select pg_backend_pid() as pid from pg_sleep(0.1)`).pid

test('connections are closed down to one shared and one lent when they were not used for a while', async () => {
  const applicationName = 'connections that idle'
  const database = openDatabase({ url: db.url, connectionsMax: 10, connectionIdleMs: 200, applicationName })
  const countOpen = async () =>
    (
      await db.database.one<{ count: number }>`
        select count(*)::int as count from pg_stat_activity where application_name = ${applicationName}`
    ).count
  const countUsed = async () => {
    const pids = await Promise.all([
      ...Array.from({ length: 4 }, () => slowBackendOf(database)),
      ...Array.from({ length: 6 }, () => database.transaction(slowBackendOf)),
    ])
    return new Set(pids).size
  }
  try {
    expect(await countUsed()).toBe(10)
    await until(async () => (await countOpen()) === 2)
    expect(await countUsed()).toBe(10)
  } finally {
    await database.close()
  }
})

test('connections are opened anew after they were renewed, and those in use finish what they do', async () => {
  const database = openDatabase({ url: db.url, connectionsMax: 5 })
  const backends = async () => [await slowBackendOf(database), await database.transaction(slowBackendOf)]
  try {
    const before = await backends()
    const busy = Promise.all([slowBackendOf(database), database.transaction(slowBackendOf)])
    database.renewConnections()
    expect<number[]>(await busy).toEqual(before)
    database.renewConnections()
    const after = await backends()
    expect(after.filter((pid) => before.includes(pid))).toEqual([])
  } finally {
    await database.close()
  }
})

test('a connection stays open when a transaction on it lasts longer than connections may idle', async () => {
  const database = openDatabase({ url: db.url, connectionsMax: 2, connectionIdleMs: 20 })
  try {
    const slow = Promise.all([
      database.one`select 1 as one from pg_sleep(0.2)`,
      database.transaction((tx) => tx.one`select 1 as one from pg_sleep(0.2)`),
    ])
    expect(await slow).toEqual([{ one: 1 }, { one: 1 }])
  } finally {
    await database.close()
  }
})

test('of several hosts in the URL the one that answers is found, and connections that are lost are opened on it again', async () => {
  const { username, password, host, pathname } = new URL(db.url)
  const url = `postgres://${username}:${password}@127.0.0.1:1,${host}${pathname}`
  const database = openDatabase({ url, connectionsMax: 2 })
  try {
    await database.findPrimary()
    const first = await slowBackendOf(database)
    await db.database.run`select pg_terminate_backend(${first}::int)`
    await until(() =>
      slowBackendOf(database).then(
        (pid) => pid !== first,
        () => false,
      ),
    )
  } finally {
    await database.close()
  }
})

test('of several hosts in the URL the one that was found stays in use when a pool is closed', async () => {
  const { username, password, host, pathname } = new URL(db.url)
  const url = `postgres://${username}:${password}@${host},127.0.0.1:1${pathname}`
  const first = openDatabase({ url, connectionsMax: 1 })
  await first.findPrimary()
  await first.close()
  const second = openDatabase({ url, connectionsMax: 1 })
  try {
    expect(await second.one`select 1 as one`).toEqual({ one: 1 })
  } finally {
    await second.close()
  }
})
