import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ObjectStoreServer, startObjectStore } from '../../../test/support/object-store-server.ts'
import { createObjectStorage } from './object-storage.ts'
import { describeStorage } from './storage.suite.ts'

const keys = { accessKeyId: 'AKIATEST', secretAccessKey: 'a/secret+key', region: 'ap-southeast-3', bucket: 'nexkit' }
let server = {} as ObjectStoreServer
beforeAll(async () => {
  server = await startObjectStore(keys)
})
const draftFolder = mkdtempSync(join(tmpdir(), 'nexkit-drafts-'))
afterAll(() => {
  server.stop()
  rmSync(draftFolder, { recursive: true, force: true })
})

describe('objects in a bucket', () => {
  const open = () => createObjectStorage({ ...keys, endpoint: server.url, prefix: 'media' })
  describeStorage(open)

  test('are stored below the prefix, with their type, and every request was signed', async () => {
    await open().put('org_1/med_9', new Uint8Array([1, 2]), 'image/webp')
    expect(server.objects.get('media/org_1/med_9')).toEqual({ bytes: Buffer.from([1, 2]), mimeType: 'image/webp' })
    expect(server.refused).toEqual([])
  })

  test('that come in pieces go up in parts, with their type, and leave nothing on this machine', async () => {
    const storage = createObjectStorage({ ...keys, endpoint: server.url, draftFolder })
    const draft = await storage.draft()
    for (let nth = 0; nth < 12; nth++) await draft.write(new Uint8Array(1_000_000).fill(nth))
    expect(readdirSync(draftFolder).length).toBe(1)
    await draft.keep('org_1/med_large', 'video/mp4')
    expect(server.parts).toBeGreaterThan(1)
    expect(server.objects.get('org_1/med_large')).toMatchObject({ mimeType: 'video/mp4' })
    expect(server.objects.get('org_1/med_large')?.bytes.length).toBe(12_000_000)
    expect(readdirSync(draftFolder)).toEqual([])
  })

  test('are not stored under a wrong key, and that is an error, not an absence', async () => {
    const wrong = createObjectStorage({ ...keys, secretAccessKey: 'another', endpoint: server.url })
    await expect(wrong.put('a', new Uint8Array(1), 'x/y')).rejects.toThrow()
    await expect(wrong.get('a')).rejects.toThrow()
    expect(server.refused).toContain('the signature is wrong')
    expect(server.objects.has('a')).toBe(false)
  })
})
