import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestDatabase } from '../../test/support/database.ts'
import { type Config, readConfig } from '../config.ts'
import { acceptSecretKey, loadSecretKey, secretKeyRefusal } from './secret-key.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function anInstallation(): { config: Config; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'nexkit-secret-'))
  folders.push(folder)
  return { config: readConfig({ NEXKIT_DATA_DIR: folder }), folder }
}

test('a key is created once, and another or a missing one is refused until it is accepted', async () => {
  const { database, close } = await createTestDatabase()
  const { config, folder } = anInstallation()
  const key = await loadSecretKey(database, config)
  expect(await loadSecretKey(database, config)).toBe(key)

  rmSync(join(folder, 'secret.key'))
  await expect(loadSecretKey(database, config)).rejects.toThrow(/secret\.key\) is missing\. Put the old one back/)
  expect(readdirSync(folder)).toEqual([])

  writeFileSync(join(folder, 'secret.key'), 'another key, with as many characters as one has\n')
  await expect(loadSecretKey(database, config)).rejects.toThrow(/another one than this database was sealed with/)
  expect(await acceptSecretKey(database, config)).toBe(true)
  expect(await acceptSecretKey(database, config)).toBe(false)
  expect(await loadSecretKey(database, config)).toStartWith('another key')

  writeFileSync(join(folder, 'secret.key'), `${key}\n`)
  expect(await secretKeyRefusal(database, config)).toContain('npx nexkit secret-key accept')
  await close()
})

test('an empty file is said to be one, and is neither accepted nor written over', async () => {
  const { database, close } = await createTestDatabase()
  const { config, folder } = anInstallation()
  const path = join(folder, 'secret.key')
  const refused = async () => {
    writeFileSync(path, '\n')
    await expect(loadSecretKey(database, config)).rejects.toThrow(/secret\.key\) is empty\. Put the old one back/)
    await expect(acceptSecretKey(database, config)).rejects.toThrow(/is empty/)
    expect(await secretKeyRefusal(database, config)).toContain('is empty')
    rmSync(path)
  }
  await refused()
  await loadSecretKey(database, config)
  await refused()
  expect(await acceptSecretKey(database, config)).toBe(true)
  await close()
})

test('one of two concurrent first starts with different keys is refused', async () => {
  const { database, close } = await createTestDatabase()
  const outcomes = await Promise.allSettled(
    [anInstallation(), anInstallation()].map(({ config }) => loadSecretKey(database, config)),
  )
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  await close()
})

test('what the database remembers is not the key', async () => {
  const { database, close } = await createTestDatabase()
  const { config } = anInstallation()
  const key = await loadSecretKey(database, config)
  const [row] = await database.many<{ text: string }>`select secret_key_check::text as text from secret_key_check`
  expect(row?.text).not.toContain(key)
  await close()
})
