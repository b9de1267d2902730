import { PART_BYTES } from '../../platform/archive/archive.ts'
import type { ArchiveWriter } from '../../platform/archive/archive-writer.ts'
import type { Storage, StorageDraft } from '../../platform/storage/storage.ts'
import type { Progress } from './progress.ts'
import type { StoredFile } from './snapshot.ts'

/** Files of the storage, into an archive and out of it. */
const FILES = 'files/'

const fileStream = (key: string): string => `${FILES}${key}`
export const fileOfStream = (stream: string): string | null =>
  stream.startsWith(FILES) ? stream.slice(FILES.length) : null

export type CopiedFiles = { files: StoredFile[]; missing: string[] }

/** A file whose row was deleted after the snapshot is gone; the restored row then has no file, as after a deletion that was interrupted. */
export async function addFiles(
  { storage, files, progress }: { storage: Storage; files: readonly StoredFile[]; progress: Progress },
  writer: ArchiveWriter,
): Promise<CopiedFiles> {
  const copied: CopiedFiles = { files: [], missing: [] }
  for (const [index, file] of files.entries()) {
    const stream = await storage.stream(file.storage_key)
    if (stream === null) {
      copied.missing.push(file.storage_key)
      continue
    }
    for await (const bytes of inParts(stream)) await writer.add(fileStream(file.storage_key), bytes)
    copied.files.push(file)
    progress.report(() => `Copying files: ${index + 1} of ${files.length}.`)
  }
  return copied
}

/** At least one part, also of an empty file. */
async function* inParts(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = []
  let heldBytes = 0
  let parts = 0
  for await (const chunk of stream) {
    held.push(chunk)
    heldBytes += chunk.byteLength
    if (heldBytes < PART_BYTES) continue
    yield Buffer.concat(held)
    parts += 1
    held = []
    heldBytes = 0
  }
  if (heldBytes > 0 || parts === 0) yield Buffer.concat(held)
}

/** Puts files together from their parts. One that is there already is replaced by the same bytes. */
export function createFileWriter(storage: Storage, files: readonly StoredFile[]) {
  const types = new Map(files.map((file) => [file.storage_key, file.mime_type]))
  let current: { key: string; draft: StorageDraft } | null = null
  const finish = async () => {
    const finished = current
    current = null
    await finished?.draft.keep(finished.key, types.get(finished.key) ?? 'application/octet-stream')
  }
  return {
    async write(key: string, bytes: Uint8Array): Promise<void> {
      if (current?.key !== key) {
        await finish()
        current = { key, draft: await storage.draft() }
      }
      await current.draft.write(bytes)
    },
    finish,
    discard: async () => current?.draft.discard(),
  }
}
