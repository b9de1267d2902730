import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Files on their way in. A process that dies leaves its drafts behind; they are removed once they are older than any upload
 * lasts, when the folder is next used.
 */
export type DraftFile = {
  path: string
  write(bytes: Uint8Array): Promise<void>
  /** Brought to the disk and closed: from now on it is the caller's. */
  finish(): Promise<void>
  discard(): Promise<void>
}

const ABANDONED_AFTER_MS = 24 * 3600 * 1000

export function createDraftFolder(folder: string): { open(): Promise<DraftFile> } {
  let prepared: Promise<void> | null = null
  return {
    async open() {
      prepared ??= prepare(folder)
      await prepared.catch((error) => {
        prepared = null
        throw error
      })
      const path = join(folder, `${randomBytes(12).toString('hex')}.part`)
      return draftAt(path, await open(path, 'wx', 0o600))
    },
  }
}

async function prepare(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => null)
    if (found !== null && found.mtimeMs < Date.now() - ABANDONED_AFTER_MS) await rm(path, { force: true })
  }
}

function draftAt(path: string, file: FileHandle): DraftFile {
  let state: 'open' | 'finished' | 'gone' = 'open'
  return {
    path,
    async write(bytes) {
      await file.writeFile(bytes)
    },
    async finish() {
      await file.sync()
      await file.close()
      state = 'finished'
    },
    async discard() {
      if (state === 'open') await file.close()
      state = 'gone'
      await rm(path, { force: true })
    },
  }
}
