import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import { messageOf } from '../../kernel/errors.ts'
import { ArchiveError, CHECKSUMS, type Checksum, damaged, MANIFEST, PART_DIGITS } from './archive.ts'
import { createChecksums, sha256Of } from './archive-writer.ts'
import { parseTarHeader, TAR_BLOCK_BYTES, tarPadding } from './tar.ts'

export type ArchivePart = { stream: string; part: number; bytes: Buffer }

type Entry = { name: string; bytes: Buffer }

/** The manifest alone, without a look at what follows. */
export async function readManifest(path: string): Promise<unknown> {
  for await (const { name, bytes } of readEntries(path)) {
    if (name !== MANIFEST) break
    return JSON.parse(bytes.toString('utf8'))
  }
  throw new ArchiveError(`${path} is not a file that Nexkit wrote.`)
}

type End = { summary: unknown; manifest: string; streams: Record<string, Checksum> }

export type VerifiedArchive = { summary: unknown; streams: Record<string, Checksum>; bytes: number }

/** Reads all of it and compares every checksum. Throws an ArchiveError when a single byte is missing or different. */
export async function verifyArchive(
  path: string,
  onProgress: (bytes: number) => void = () => {},
): Promise<VerifiedArchive> {
  const checksums = createChecksums()
  let end: End | null = null
  let manifestHash = ''
  let read = 0
  for await (const { name, bytes } of readEntries(path)) {
    if (end !== null) throw damaged(path)
    if (name === MANIFEST) {
      manifestHash = sha256Of(bytes)
      continue
    }
    if (name === CHECKSUMS) {
      end = JSON.parse(bytes.toString('utf8'))
      continue
    }
    const { stream } = placeOf(name)
    if (checksums.add(stream, bytes) !== name) throw damaged(path)
    read += bytes.byteLength
    onProgress(read)
  }
  const found = checksums.finish()
  if (end === null || end.manifest !== manifestHash || !isSame(found, end.streams)) throw damaged(path)
  return { summary: end.summary, streams: end.streams, bytes: read }
}

function isSame(found: Record<string, Checksum>, stated: Record<string, Checksum>): boolean {
  const names = Object.keys(stated)
  return (
    names.length === Object.keys(found).length &&
    names.every((name) => found[name]?.sha256 === stated[name]?.sha256 && found[name]?.bytes === stated[name]?.bytes)
  )
}

/** The parts of all streams, in order. */
export async function* readParts(path: string): AsyncGenerator<ArchivePart> {
  for await (const { name, bytes } of readEntries(path))
    if (name !== MANIFEST && name !== CHECKSUMS) yield { ...placeOf(name), bytes }
}

const placeOf = (name: string) => ({
  stream: name.slice(0, -PART_DIGITS - 1),
  part: Number(name.slice(-PART_DIGITS)),
})

/** One entry is held in memory at a time. */
async function* readEntries(path: string): AsyncGenerator<Entry> {
  const found = await stat(path).catch(() => null)
  if (found === null) throw new ArchiveError(`There is no file ${path}.`)
  if (!found.isFile()) throw new ArchiveError(`${path} is not a file.`)
  const file = createReadStream(path)
  const gunzip = createGunzip()
  file.once('error', (error) => gunzip.destroy(error))
  const blocks = createBlocks(file.pipe(gunzip))
  let isFirst = true
  try {
    for (;;) {
      const header = parseTarHeader(await blocks.take(TAR_BLOCK_BYTES))
      if (header === null) break
      const bytes = await blocks.take(header.bytes)
      refuseContent(await blocks.take(tarPadding(header.bytes).byteLength))
      isFirst = false
      yield { name: header.name, bytes }
    }
    await blocks.drain()
  } catch (error) {
    if (error instanceof ArchiveError) throw error
    if (isReadError(error)) throw new ArchiveError(`${path} cannot be read: ${messageOf(error)}.`)
    if (error instanceof RangeError || error instanceof SyntaxError || isZlibError(error))
      throw isFirst ? new ArchiveError(`${path} is not a file that Nexkit wrote, or it is damaged.`) : damaged(path)
    throw error
  } finally {
    gunzip.destroy()
    file.destroy()
  }
}

const isReadError = (error: unknown): boolean => error instanceof Error && 'syscall' in error

const isZlibError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^Z_|^ERR_ZLIB|UNEXPECTED_END|unexpected end/i.test(String(error.code))

function refuseContent(bytes: Buffer): void {
  if (bytes.some((byte) => byte !== 0)) throw new RangeError('the archive goes on behind its end')
}

/** Takes exact amounts from a stream. */
function createBlocks(source: AsyncIterable<Buffer>) {
  const chunks = source[Symbol.asyncIterator]()
  let held: Buffer[] = []
  let heldBytes = 0
  return {
    async take(bytes: number): Promise<Buffer> {
      while (heldBytes < bytes) {
        const { value, done } = await chunks.next()
        if (done) throw new RangeError('the archive ends too early')
        held.push(value)
        heldBytes += value.byteLength
      }
      const all = held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held)
      held = [all.subarray(bytes)]
      heldBytes -= bytes
      return all.subarray(0, bytes)
    },
    /** To the end: nothing but zeros follows. */
    async drain(): Promise<void> {
      for (const chunk of held) refuseContent(chunk)
      for (;;) {
        const { value, done } = await chunks.next()
        if (done) return
        refuseContent(value)
      }
    },
  }
}
