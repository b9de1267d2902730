import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, cpSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isCloneShut, isRoot, openDataFolders } from '../../../test/support/data-folders.ts'
import { openDatabase } from '../database/database.ts'
import { findBinaries } from './binaries.ts'
import { findAccount, findProgram } from './user.ts'

/** Who runs PostgreSQL. Only root can try all the cases; an ordinary user is the case of every other test file. */
const folders = openDataFolders()
afterEach(() => folders.endAll())
afterAll(() => folders.close())

const NAMELESS_UID = 54_321
const ownerOf = (path: string) => statSync(path).uid

async function answers(url: string): Promise<boolean> {
  const database = openDatabase({ url, connectionsMax: 1 })
  const row = await database.one<{ one: number }>`select 1 as one`
  await database.close()
  return row.one === 1
}

/** One folder that root started first, one that an ordinary user did. */
const dataDir = folders.newFolder()
const usersParent = folders.newFolder()
const usersDataDir = join(usersParent, 'data')

function newParentOf(uid: number, parent = folders.newFolder()): string {
  mkdirSync(parent)
  chownSync(parent, uid, uid)
  return parent
}

const canTry = isRoot && findProgram('setpriv') !== null

describe.skipIf(!canTry)('as root', () => {
  test('PostgreSQL runs as a user without rights, while the password stays with root', async () => {
    const running = await folders.start(dataDir)
    const account = (await findAccount('postgres')) ?? (await findAccount('nobody'))
    expect(ownerOf(`/proc/${running.pid}`)).toBe(account?.uid as number)
    expect(ownerOf(join(dataDir, 'postgres', 'connection.json'))).toBe(0)
    await running.stop()
  })

  test('data that root copied back from a backup is handed to the one who runs PostgreSQL', async () => {
    const restored = folders.newFolder()
    cpSync(dataDir, restored, { recursive: true })
    chmodSync(join(restored, 'postgres', 'cluster'), 0o755)
    expect(ownerOf(join(restored, 'postgres', 'cluster', 'PG_VERSION'))).toBe(0)
    const running = await folders.start(restored)
    expect(await answers(running.url)).toBe(true)
    await running.stop()
  })

  test('a clone and its data below a folder that is shut to others work, and the folder stays shut', async () => {
    const shut = folders.newFolder()
    mkdirSync(shut, { mode: 0o700 })
    const packageFolder = join(shut, 'package')
    const { folder } = await findBinaries({ dataDir: shut })
    cpSync(dirname(folder), packageFolder, { recursive: true, verbatimSymlinks: true })
    for (const kind of ['first', 'later']) {
      const running = await folders.start(join(shut, 'data'), { packageFolder, settings: { fsync: 'off' } })
      expect({ kind, answers: await answers(running.url) }).toEqual({ kind, answers: true })
      expect(ownerOf(`/proc/${running.pid}`)).not.toBe(0)
      await running.stop()
    }
    expect(statSync(shut).mode & 0o777).toBe(0o700)
  })
})

describe.skipIf(!canTry)('as an ordinary user', () => {
  test('everything belongs to that user, also after root ran it there once', async () => {
    const { uid } = (await findAccount('nobody')) ?? { uid: NAMELESS_UID }
    newParentOf(uid, usersParent)
    for (const runner of [{ uid }, {}, { uid }]) {
      const server = folders.serve(usersDataDir, runner)
      const line = await server.line
      expect(line).toMatchObject({ adopted: false })
      expect(ownerOf(`/proc/${line.pid}`)).toBe(uid)
      await server.kill('SIGTERM')
      for (const name of ['', 'postgres', 'postgres/connection.json', 'postgres/postgres.log', 'postgres.lock']) {
        expect({ name, uid: ownerOf(join(usersDataDir, name)) }).toEqual({ name, uid })
      }
    }
    expect(statSync(usersDataDir).mode & 0o777).toBe(0o700)
  })

  // Its own user namespace takes away the leave to read a clone that is shut to others.
  test.skipIf(isCloneShut)(
    'a user id without a name, as in containers, runs PostgreSQL or gets an error that names what is missing',
    async () => {
      const server = folders.serve(join(newParentOf(NAMELESS_UID), 'data'), { uid: NAMELESS_UID })
      const line = await server.line
      if (line.error !== undefined) expect(line.error).toContain(`User id ${NAMELESS_UID} has no name in /etc/passwd`)
      else expect(await answers(line.url)).toBe(true)
      await server.kill('SIGTERM')
    },
  )

  test('a folder of another user is refused with advice', async () => {
    for (const folder of [join(newParentOf(0), 'data'), dataDir, usersDataDir]) {
      const { error } = await folders.serve(folder, { uid: NAMELESS_UID }).line
      expect(error).toStartWith(`User id ${NAMELESS_UID} may not read and write ${folder}`)
      expect(error).toContain('set NEXKIT_DATA_DIR')
    }
  })
})
