import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readManifest, readParts, verifyArchive } from './archive-reader.ts'
import { writeArchive } from './archive-writer.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nexkit-archive-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const LONG = `files/${'a'.repeat(90)}/${'b'.repeat(80)}`

/** Two streams, one of several parts and one with a long name, of bytes that do not compress. */
const parts: [string, Uint8Array][] = [
  ['tables/orders', randomBytes(700)],
  ['tables/orders', randomBytes(4_000)],
  [LONG, randomBytes(1_024)],
  ['files/empty', new Uint8Array()],
]

const writeOne = (path: string) =>
  writeArchive(path, async (writer) => {
    await writer.begin({ format: 'test' })
    for (const [stream, bytes] of parts) await writer.add(stream, bytes)
    return { rows: 2 }
  })

async function contentOf(path: string): Promise<string> {
  const read: [string, string][] = []
  for await (const part of readParts(path)) read.push([part.stream, part.bytes.toString('hex')])
  expect(read).toEqual(parts.map(([stream, content]) => [stream, Buffer.from(content).toString('hex')]))
  expect(await readManifest(path)).toEqual({ format: 'test' })
  return 'content of all parts: OK'
}

describe('an archive', () => {
  test('holds the manifest, every part in order, and the summary', async () => {
    const path = join(folder, 'whole.tar.gz')
    const { summary, bytes } = await writeOne(path)
    expect(summary).toEqual({ rows: 2 })
    expect((await readFile(path)).byteLength).toBe(bytes)
    expect(await readManifest(path)).toEqual({ format: 'test' })
    expect(await verifyArchive(path)).toMatchObject({ summary: { rows: 2 }, bytes: 5_724 })
    expect(await contentOf(path)).toBe('content of all parts: OK')
  })

  test('is refused when it is cut off anywhere', async () => {
    const path = join(folder, 'cut.tar.gz')
    const { bytes } = await writeOne(path)
    const whole = await readFile(path)
    for (let length = 0; length < bytes; length += 101) {
      await writeFile(path, whole)
      await truncate(path, length)
      await expect(verifyArchive(path)).rejects.toThrow(/is damaged|is not a file that Nexkit wrote/)
    }
  })

  test('is refused when a byte of its content was changed', async () => {
    const path = join(folder, 'flipped.tar.gz')
    const { bytes } = await writeOne(path)
    const whole = await readFile(path)
    for (let at = 10; at < bytes; at += 89) {
      const changed = Buffer.from(whole)
      changed[at] = (changed[at] ?? 0) ^ 0x10
      await writeFile(path, changed)
      // Some bits of a compressed file make no difference to what it holds.
      const said = await verifyArchive(path).then(() => contentOf(path), String)
      expect(said).toMatch(/is damaged|is not a file that Nexkit wrote|^content of all parts: OK$/)
    }
  })

  test('leaves nothing behind when it cannot be completed, and replaces no other file', async () => {
    const path = join(folder, 'failing', 'failed.tar.gz')
    const failing = writeArchive(path, async (writer) => {
      await writer.begin({})
      throw new Error('the database is gone')
    })
    await expect(failing).rejects.toThrow('the database is gone')
    expect(await readdir(join(folder, 'failing'))).toEqual([])
    const taken = join(folder, 'taken.tar.gz')
    await writeFile(taken, 'something else')
    await expect(writeOne(taken)).rejects.toThrow('exists already')
    expect(await readFile(taken, 'utf8')).toBe('something else')
    await expect(verifyArchive(taken)).rejects.toThrow('is not a file that Nexkit wrote')
  })
})
