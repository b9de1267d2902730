import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { membersOf } from '../../kernel/records.ts'
import { createDraftFolder } from './draft-folder.ts'
import { checkKey, type Storage } from './storage.ts'

/**
 * Files in a folder. A file is written under another name, brought to the disk, and renamed: readers find the whole
 * file or none. The folder is brought to the disk as well, because a new name lives there.
 */
export function createFileStorage(folder: string): Storage {
  const root = resolve(folder)
  const pathOf = (key: string) => join(root, ...checkKey(key).split('/'))
  // Beside the files, so that renaming is enough. No key begins with a dot.
  const drafts = createDraftFolder(join(root, '.drafts'))
  return {
    async put(key, bytes) {
      const path = pathOf(key)
      await makeFolder(dirname(path))
      await writeWhole(path, bytes)
      await syncFolder(dirname(path))
    },
    async draft() {
      const file = await drafts.open()
      return {
        write: file.write,
        async keep(key) {
          const path = pathOf(key)
          await makeFolder(dirname(path))
          await file.finish()
          await rename(file.path, path)
          await syncFolder(dirname(path))
        },
        discard: file.discard,
      }
    },
    get: (key) => absentAsNull(readFile(pathOf(key))),
    async stream(key) {
      const path = pathOf(key)
      const found = await absentAsNull(stat(path))
      return found === null ? null : (Readable.toWeb(createReadStream(path)) as unknown as ReadableStream<Uint8Array>)
    },
    async delete(key) {
      await rm(pathOf(key), { force: true })
    },
  }
}

async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.part`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** The entry of every new folder is in its parent, up to the parent of the first folder that was created. */
async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let folder = path; folder.length >= first.length; folder = dirname(folder)) await syncFolder(dirname(folder))
}

/** Windows has no such thing as syncing a folder, and needs none. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function absentAsNull<Value>(reading: Promise<Value>): Promise<Value | null> {
  try {
    return await reading
  } catch (error) {
    if (membersOf(error).code === 'ENOENT') return null
    throw error
  }
}
