import type { Storage } from '../../src/platform/storage/storage.ts'

/** Files of a test, gone with it. */
export function createMemoryStorage(): Storage {
  const files = new Map<string, Uint8Array>()
  return {
    put: async (key, bytes) => void files.set(key, bytes),
    async draft() {
      let pieces: Uint8Array[] | null = []
      return {
        write: async (bytes) => void pieces?.push(bytes.slice()),
        async keep(key) {
          if (pieces === null) throw new Error('the draft is gone')
          files.set(key, Buffer.concat(pieces))
        },
        async discard() {
          pieces = null
        },
      }
    },
    get: async (key) => files.get(key) ?? null,
    stream: async (key) => {
      const bytes = files.get(key)
      return bytes === undefined ? null : new Blob([bytes as Uint8Array<ArrayBuffer>]).stream()
    },
    delete: async (key) => void files.delete(key),
  }
}
