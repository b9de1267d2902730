import { createHash, type Hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { messageOf, StartError } from '../../kernel/errors.ts'
import { CHECKSUMS, type Checksum, MANIFEST, PART_DIGITS } from './archive.ts'
import { TAR_END, tarHeader, tarPadding } from './tar.ts'

export type ArchiveWriter = {
  /** Writes the manifest, once and first. */
  begin(manifest: unknown): Promise<void>
  /** Adds the next part of a stream. Parts of one stream follow each other. */
  add(stream: string, bytes: Uint8Array): Promise<void>
}

/** Most of the size for a third of the time that the default takes. */
const GZIP_LEVEL = 3
const DRAFT_SUFFIX = '.part'
const ABANDONED_AFTER_MS = 24 * 3600 * 1000

/**
 * Writes an archive: `fill` writes the manifest, adds the streams and returns the summary. The file appears under its name when it is whole and on the disk;
 * when anything fails, nothing is left of it.
 */
export async function writeArchive<Summary>(
  path: string,
  fill: (writer: ArchiveWriter) => Promise<Summary>,
): Promise<{ summary: Summary; bytes: number }> {
  const target = resolve(path)
  const draft = `${target}.${randomBytes(4).toString('hex')}${DRAFT_SUFFIX}`
  try {
    await prepareFolder(dirname(target))
    const summary = await writeDraft(draft, fill)
    const { size: bytes } = await stat(draft)
    await refuseExisting(target)
    await rename(draft, target)
    await syncFolder(dirname(target))
    return { summary, bytes }
  } catch (error) {
    await rm(draft, { force: true })
    throw isFileError(error) ? new StartError(`${target} cannot be written: ${explain(error)}.`) : error
  }
}

export async function refuseExisting(path: string): Promise<void> {
  if ((await stat(path).catch(() => null)) !== null)
    throw new StartError(`${path} exists already. Choose another name, or move it away.`)
}

async function writeDraft<Summary>(path: string, fill: (writer: ArchiveWriter) => Promise<Summary>): Promise<Summary> {
  const gzip = createGzip({ level: GZIP_LEVEL })
  const flowing = pipeline(gzip, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))
  flowing.catch(() => {})
  const write = async (bytes: Uint8Array) => {
    if (!gzip.write(bytes)) await Promise.race([once(gzip, 'drain'), flowing])
  }
  const at = new Date()
  // In one piece: after a write of no bytes Bun may never ask for more.
  const entry = (name: string, bytes: Uint8Array) =>
    write(Buffer.concat([tarHeader({ name, bytes: bytes.byteLength }, at), bytes, tarPadding(bytes.byteLength)]))
  try {
    const checksums = createChecksums()
    let manifestHash: string | null = null
    const summary = await fill({
      begin(manifest) {
        // The reading transaction was run again: what it wrote before stays in the file.
        if (manifestHash !== null)
          throw new StartError('The connection to the database was lost. Nothing was written; try again.')
        const bytes = jsonBytes(manifest)
        manifestHash = sha256Of(bytes)
        return entry(MANIFEST, bytes)
      },
      add: (stream, bytes) => entry(checksums.add(stream, bytes), bytes),
    })
    await entry(CHECKSUMS, jsonBytes({ summary, manifest: manifestHash, streams: checksums.finish() }))
    await write(TAR_END)
    gzip.end()
    await flowing
    return summary
  } catch (error) {
    gzip.destroy()
    await flowing.catch(() => {})
    throw error
  }
}

const jsonBytes = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value)}\n`)

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Follows the parts of the streams, and names them. */
export function createChecksums() {
  const done: Record<string, Checksum> = {}
  let current: { stream: string; hash: Hash; parts: number; bytes: number } | null = null
  const finish = () => {
    if (current === null) return done
    const { stream, hash, parts, bytes } = current
    done[stream] = { parts, bytes, sha256: hash.digest('hex') }
    current = null
    return done
  }
  return {
    add(stream: string, bytes: Uint8Array): string {
      if (current?.stream !== stream) {
        finish()
        if (done[stream] !== undefined) throw new Error(`the parts of ${stream} do not follow each other`)
        current = { stream, hash: createHash('sha256'), parts: 0, bytes: 0 }
      }
      const following = current as NonNullable<typeof current>
      following.hash.update(bytes)
      following.parts += 1
      following.bytes += bytes.byteLength
      return `${stream}/${String(following.parts).padStart(PART_DIGITS, '0')}`
    },
    finish,
  }
}

/** Removes what a writer that was killed left there long ago: it would take up room for ever. */
async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder)) {
    if (!/\.[0-9a-f]{8}\.part$/.test(basename(name))) continue
    const path = join(folder, name)
    const found = await stat(path).catch(() => null)
    if (found !== null && found.mtimeMs < Date.now() - ABANDONED_AFTER_MS) await rm(path, { force: true })
  }
}

async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

const FILE_ERRORS: Record<string, string> = {
  ENOSPC: 'the disk is full. Free some space, or choose another disk with --to',
  EDQUOT: 'the quota of this user is used up. Free some space, or choose another disk with --to',
  EFBIG: 'the file would be larger than this user or file system allows. Choose another place with --to',
  EACCES: 'this user may not write there. Choose another place with --to',
  EROFS: 'the file system is read-only. Choose another place with --to',
}

const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'code' in error && !('address' in error)

const explain = (error: NodeJS.ErrnoException): string => FILE_ERRORS[error.code ?? ''] ?? messageOf(error)
