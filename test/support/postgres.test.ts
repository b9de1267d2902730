import { afterAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../src/platform/embedded-postgres/processes.ts'
import { TEST_POSTGRES_PLACES } from './postgres.ts'
import { until } from './until.ts'

const folder = mkdtempSync(join(tmpdir(), 'nexkit-runs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A test file that writes down which PostgreSQL it was given, and by which process. */
const source = (name: string) => `
  import { expect, test } from 'bun:test'
  import { existsSync, writeFileSync } from 'node:fs'
  import { findRunningPostgres } from ${JSON.stringify(join(import.meta.dirname, '../../src/platform/embedded-postgres/embedded-postgres.ts'))}
  import { testPostgresUrl } from ${JSON.stringify(join(import.meta.dirname, 'postgres.ts'))}
  const places = ${JSON.stringify(TEST_POSTGRES_PLACES)}
  test('is given one', async () => {
    const url = await testPostgresUrl()
    const dataDir = places.map((place) => place + '/nexkit-test-' + process.pid).find(existsSync)
    const found = await findRunningPostgres(dataDir)
    expect(found?.url).toBe(url)
    writeFileSync(${JSON.stringify(join(folder, name))}, JSON.stringify({ dataDir, ...found }))
  })`

test('the files of one run share a PostgreSQL even when the runner isolates them, and nothing is left after it', async () => {
  for (const name of ['one', 'two']) writeFileSync(join(folder, `${name}.test.ts`), source(name))
  const { NEXKIT_TEST_DATABASE_URL: _, ...env } = process.env
  const run = spawnSync(process.execPath, ['test', '--isolate', '--timeout', '120000'], { cwd: folder, env })
  expect(run.stderr.toString()).toContain('2 pass')
  const [one, two] = ['one', 'two'].map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  expect(one).toEqual(two)
  await until(() => !isAlive(one.pid) && !existsSync(one.dataDir))
})
