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

  test('a file that comes in pieces is there once it is kept, and not before', async () => {
    const storage = openStorage()
    const draft = await storage.draft()
    const pieces = Array.from({ length: 13 }, (_, nth) => new Uint8Array(1_000_003).fill(nth + 1))
    for (const piece of pieces) await draft.write(piece)
    expect(await storage.get(key('med_4'))).toBeNull()
    await draft.keep(key('med_4'), 'application/pdf')
    await draft.discard()
    const kept = Buffer.from((await storage.get(key('med_4'))) ?? [])
    expect(kept.equals(Buffer.concat(pieces))).toBe(true)
  })

  test('a draft that is discarded is nowhere, and a key that leads elsewhere is refused', async () => {
    const storage = openStorage()
    const draft = await storage.draft()
    await draft.write(bytesOf('half of it'))
    await expect((async () => draft.keep('../x', 'text/plain'))()).rejects.toThrow('storage key')
    await draft.discard()
    await draft.discard()
    await expect((async () => draft.keep(key('med_5'), 'text/plain'))()).rejects.toThrow()
    expect(await storage.get(key('med_5'))).toBeNull()
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
