import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFileStorage } from './file-storage.ts'
import { describeStorage } from './storage.suite.ts'

const folder = mkdtempSync(join(tmpdir(), 'nexkit-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('files in a folder', () => {
  describeStorage(() => createFileStorage(folder))

  test('are readable by their owner only, and leave no drafts behind', async () => {
    const storage = createFileStorage(join(folder, 'own'))
    await storage.put('org_1/med_1', new Uint8Array([1]), 'image/png')
    expect(statSync(join(folder, 'own', 'org_1', 'med_1')).mode & 0o077).toBe(0)
    expect(readdirSync(join(folder, 'own', 'org_1'))).toEqual(['med_1'])
  })

  test('that come in pieces leave no drafts behind, kept or discarded; old ones of a process that died are removed', async () => {
    const own = join(folder, 'drafts')
    const drafts = join(own, '.drafts')
    mkdirSync(drafts, { recursive: true })
    for (const [name, hours] of [
      ['old.part', 25],
      ['young.part', 1],
    ] as const) {
      writeFileSync(join(drafts, name), 'x')
      const at = new Date(Date.now() - hours * 3_600_000)
      utimesSync(join(drafts, name), at, at)
    }
    const storage = createFileStorage(own)
    const [kept, discarded] = [await storage.draft(), await storage.draft()]
    for (const draft of [kept, discarded]) await draft.write(new Uint8Array([1]))
    expect(readdirSync(drafts).length).toBe(3)
    await kept.keep('org_1/med_1', 'image/png')
    await discarded.discard()
    expect(readdirSync(drafts)).toEqual(['young.part'])
    expect(statSync(join(own, 'org_1', 'med_1')).mode & 0o077).toBe(0)
  })

  test('that are written at the same moment leave one whole version', async () => {
    const storage = createFileStorage(folder)
    const versions = Array.from({ length: 12 }, (_, index) => new Uint8Array(50_000).fill(index + 1))
    await Promise.all(versions.map((bytes) => storage.put('org_1/same', bytes, 'x/y')))
    const kept = (await storage.get('org_1/same')) as Uint8Array
    expect([kept.byteLength, new Set(kept).size]).toEqual([50_000, 1])
  })

  test('that cannot be written fail loudly', async () => {
    const storage = createFileStorage(folder)
    await storage.put('org_1/a-file', new Uint8Array(1), 'x/y')
    await expect(storage.put('org_1/a-file/below', new Uint8Array(1), 'x/y')).rejects.toThrow()
  })
})
