import { afterAll, afterEach, expect, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { isRoot, openDataFolders } from '../../../test/support/data-folders.ts'
import { findBinaries } from './binaries.ts'
import { findAccount } from './user.ts'

const folders = openDataFolders()
afterEach(() => folders.endAll())
afterAll(() => folders.close())

/** Created by the first test, used again by a later one. */
const usedFolder = folders.newFolder()

type Link = { source: string; target: string }

/** A copy of the installed package as npm leaves it when install scripts are skipped. */
async function packageWithoutLinks(): Promise<{ packageFolder: string; links: Link[] }> {
  const installed = dirname((await findBinaries({ dataDir: folders.root })).folder)
  const packageFolder = folders.newFolder()
  cpSync(installed, packageFolder, { recursive: true, verbatimSymlinks: true })
  const links = JSON.parse(readFileSync(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8')) as Link[]
  for (const { target } of links) rmSync(join(packageFolder, target))
  return { packageFolder, links }
}

test('PostgreSQL runs when npm skipped the install script that links its libraries', async () => {
  const { packageFolder, links } = await packageWithoutLinks()
  const running = await folders.start(usedFolder, { packageFolder, settings: { fsync: 'off' } })
  expect(links.length).toBeGreaterThan(0)
  expect(links.filter(({ target }) => !existsSync(join(packageFolder, target)))).toEqual([])
  await running.stop()
})

test('it runs also when the installation cannot be written to', async () => {
  const { packageFolder, links } = await packageWithoutLinks()
  chmodSync(join(packageFolder, 'native', 'lib'), 0o555)
  const parent = folders.newFolder()
  mkdirSync(parent)
  // Root may write where the mode forbids it, so an ordinary user tries.
  const { uid } = (isRoot && (await findAccount('nobody'))) || {}
  if (uid !== undefined) chownSync(parent, uid, uid)
  const server = folders.serve(join(parent, 'data'), { packageFolder, ...(uid !== undefined && { uid }) })
  expect((await server.line).error).toBeUndefined()
  expect(readdirSync(join(parent, 'data', 'postgres-libraries'))).toHaveLength(links.length)
  expect(links.filter(({ target }) => existsSync(join(packageFolder, target)))).toEqual([])
  await server.kill('SIGTERM')
  chmodSync(join(packageFolder, 'native', 'lib'), 0o755)
})

test('a PostgreSQL that was built for another system is called that', async () => {
  const packageFolder = folders.newFolder()
  mkdirSync(join(packageFolder, 'native', 'bin'), { recursive: true })
  mkdirSync(join(packageFolder, 'native', 'share', 'postgresql'), { recursive: true })
  writeFileSync(join(packageFolder, 'native', 'share', 'postgresql', 'postgres.bki'), '')
  writeFileSync(join(packageFolder, 'package.json'), '{"version":"18.0.0"}')
  for (const name of ['initdb', 'postgres']) {
    writeFileSync(join(packageFolder, 'native', 'bin', name), '#!/lib/ld-of-another-system\n', { mode: 0o755 })
  }
  for (const dataDir of [folders.newFolder(), usedFolder]) {
    await expect(folders.start(dataDir, { packageFolder })).rejects.toThrow('cannot be run on this system')
  }
})

test('no setting of ours leaks into the environment of PostgreSQL', async () => {
  process.env.NEXKIT_SECRET_FOR_TEST = 'secret'
  process.env.PGPORT = '1'
  const { environment } = await findBinaries({ dataDir: folders.root })
  delete process.env.NEXKIT_SECRET_FOR_TEST
  delete process.env.PGPORT
  expect(environment).toMatchObject({ LC_ALL: 'C', TZ: 'UTC' })
  expect(Object.keys(environment).filter((name) => /^(NEXKIT|PG)/.test(name))).toEqual([])
})
