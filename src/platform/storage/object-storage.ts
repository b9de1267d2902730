import { isObjectAbsent, type ObjectStoreSettings, openObjectStore } from '../runtime/object-store.ts'
import { checkKey, type Storage } from './storage.ts'

/** Files in a bucket of an S3-compatible store, all below one prefix. */
export type ObjectStorageSettings = ObjectStoreSettings & { prefix?: string }

export function createObjectStorage({ prefix, ...settings }: ObjectStorageSettings): Storage {
  const store = openObjectStore(settings)
  const nameOf = (key: string) => (prefix === undefined ? checkKey(key) : `${prefix}/${checkKey(key)}`)
  return {
    put: (key, bytes, mimeType) => store.put(nameOf(key), bytes, mimeType),
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
