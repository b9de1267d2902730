import { expect, test } from 'bun:test'
import type { Storage } from './storage.ts'

/** What every storage must do, wherever it keeps its files. */
export function describeStorage(openStorage: () => Storage): void {
  const key = (name: string) => `org_1/2026-11/${name}`
  const bytesOf = (text: string) => new TextEncoder().encode(text)
  const textOf = (bytes: Uint8Array | null) => (bytes === null ? null : new TextDecoder().decode(bytes))

  test('what was put is there, in one piece and as a stream', async () => {
    const storage = openStorage()
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256)
    await storage.put(key('med_1'), bytes, 'image/png')
    expect(Buffer.from((await storage.get(key('med_1'))) ?? []).equals(Buffer.from(bytes))).toBe(true)
    const streamed = await new Response(await storage.stream(key('med_1'))).arrayBuffer()
    expect(Buffer.from(streamed).equals(Buffer.from(bytes))).toBe(true)
  })

  test('an empty file is a file', async () => {
    const storage = openStorage()
    await storage.put(key('med_empty'), new Uint8Array(0), 'text/plain')
    expect((await storage.get(key('med_empty')))?.byteLength).toBe(0)
  })

  test('putting a key again replaces the whole', async () => {
    const storage = openStorage()
    await storage.put(key('med_2'), bytesOf('a long first version'), 'text/plain')
    await storage.put(key('med_2'), bytesOf('short'), 'text/plain')
    expect(textOf(await storage.get(key('med_2')))).toBe('short')
  })

  test('what was never put, or was deleted, is not there, and deleting it again is no error', async () => {
    const storage = openStorage()
    expect([await storage.get(key('med_3')), await storage.stream(key('med_3'))]).toEqual([null, null])
    await storage.put(key('med_3'), bytesOf('x'), 'text/plain')
    await storage.delete(key('med_3'))
    expect([await storage.get(key('med_3')), await storage.stream(key('med_3'))]).toEqual([null, null])
    await storage.delete(key('med_3'))
  })

  test.each(['', '/etc/passwd', '../x', 'a/../b', 'a//b', 'a/.b', 'a\\b', 'a b', 'a/', `a\0b`])(
    'the key "%s" is refused',
    async (wrong) => {
      const storage = openStorage()
      await expect((async () => storage.put(wrong, new Uint8Array(1), 'text/plain'))()).rejects.toThrow('storage key')
      await expect((async () => storage.get(wrong))()).rejects.toThrow('storage key')
    },
  )
}
