import type { Storage } from '../../src/platform/storage/storage.ts'

/** Files of a test, gone with it. */
export function createMemoryStorage(): Storage {
  const files = new Map<string, Uint8Array>()
  return {
    put: async (key, bytes) => void files.set(key, bytes),
    get: async (key) => files.get(key) ?? null,
    stream: async (key) => {
      const bytes = files.get(key)
      return bytes === undefined ? null : new Blob([bytes as Uint8Array<ArrayBuffer>]).stream()
    },
    delete: async (key) => void files.delete(key),
  }
}
