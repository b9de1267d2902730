import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isObjectAbsent, type ObjectStoreSettings, openObjectStore } from '../runtime/object-store.ts'
import { createDraftFolder } from './draft-folder.ts'
import { checkKey, type Storage } from './storage.ts'

/**
 * Files in a bucket of an S3-compatible store, all below one prefix. One that comes piece by piece waits on the disk of
 * this machine until it is whole and wanted: an upload that is broken off never reaches the bucket, not even in parts.
 */
export type ObjectStorageSettings = ObjectStoreSettings & { prefix?: string; draftFolder?: string }

export function createObjectStorage({ prefix, draftFolder, ...settings }: ObjectStorageSettings): Storage {
  const store = openObjectStore(settings)
  const drafts = createDraftFolder(draftFolder ?? join(tmpdir(), 'nexkit-drafts'))
  const nameOf = (key: string) => (prefix === undefined ? checkKey(key) : `${prefix}/${checkKey(key)}`)
  return {
    put: (key, bytes, mimeType) => store.put(nameOf(key), bytes, mimeType),
    async draft() {
      const file = await drafts.open()
      return {
        write: file.write,
        async keep(key, mimeType) {
          const name = nameOf(key)
          await file.finish()
          await store.putFile(name, file.path, mimeType)
          await file.discard()
        },
        discard: file.discard,
      }
    },
    async get(key) {
      try {
        return await store.get(nameOf(key))
      } catch (error) {
        if (isObjectAbsent(error)) return null
        throw error
      }
    },
    /** Asked first, because a stream finds out only while it is read. */
    stream: async (key) => ((await store.exists(nameOf(key))) ? store.stream(nameOf(key)) : null),
    async delete(key) {
      try {
        await store.delete(nameOf(key))
      } catch (error) {
        if (!isObjectAbsent(error)) throw error
      }
    },
  }
}
