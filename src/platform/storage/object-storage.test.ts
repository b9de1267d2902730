import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ObjectStoreServer, startObjectStore } from '../../../test/support/object-store-server.ts'
import { createObjectStorage } from './object-storage.ts'
import { describeStorage } from './storage.suite.ts'

const keys = { accessKeyId: 'AKIATEST', secretAccessKey: 'a/secret+key', region: 'ap-southeast-3', bucket: 'nexkit' }
let server = {} as ObjectStoreServer
beforeAll(async () => {
  server = await startObjectStore(keys)
})
afterAll(() => server.stop())

describe('objects in a bucket', () => {
  const open = () => createObjectStorage({ ...keys, endpoint: server.url, prefix: 'media' })
  describeStorage(open)

  test('stand below the prefix, with their type, and every request was signed', async () => {
    await open().put('org_1/med_9', new Uint8Array([1, 2]), 'image/webp')
    expect(server.objects.get('media/org_1/med_9')).toEqual({ bytes: Buffer.from([1, 2]), mimeType: 'image/webp' })
    expect(server.refused).toEqual([])
  })

  test('are not stored under a wrong key, and that is an error, not an absence', async () => {
    const wrong = createObjectStorage({ ...keys, secretAccessKey: 'another', endpoint: server.url })
    await expect(wrong.put('a', new Uint8Array(1), 'x/y')).rejects.toThrow()
    await expect(wrong.get('a')).rejects.toThrow()
    expect(server.refused).toContain('the signature is wrong')
    expect(server.objects.has('a')).toBe(false)
  })
})
