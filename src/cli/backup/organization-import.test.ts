import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import { TEST_SECRET_KEY } from '../../../test/support/secret-key.ts'
import { readConfig } from '../../config.ts'
import { exportOrganization } from './organization-export.ts'
import { importOrganization } from './organization-import.ts'

let [here, there, folder] = [] as unknown as [TestDatabase, TestDatabase, string]
beforeAll(async () => {
  here = await createTestDatabase()
  there = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'nexkit-import-'))
})
afterAll(async () => {
  await Promise.all([here.close(), there.close(), rm(folder, { recursive: true })])
})

test('the import of a sandbox is refused with a sentence when its live organization does not exist', async () => {
  const live = await anOrganization(here.database)
  const sandbox = await anOrganization(here.database, { slug: 'toko-sandbox' })
  await here.database.run`update organizations set sandbox_of = ${live.id} where id = ${sandbox.id}`
  const config = readConfig({ DATABASE_URL: here.url, NEXKIT_SECRET_KEY: TEST_SECRET_KEY, NEXKIT_DATA_DIR: folder })
  const path = join(folder, 'sandbox.tar.gz')
  // As a version that still exported sandboxes wrote it.
  const organization = { ...sandbox, sandbox_of: null }
  await exportOrganization(here.database, config, { path, organization, passphrase: null, hasFiles: false })
  const importing = importOrganization(there.database, config, { path, readPassphrase: async () => null })
  await expect(importing).rejects.toThrow(
    `"toko-sandbox" is a sandbox, and its live organization (${live.id}) does not exist here. Nothing was imported.`,
  )
  expect(await there.database.many`select id from organizations`).toEqual([])
})
