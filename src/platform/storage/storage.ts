/**
 * Where files live that are too large for the database. A key is written once and read many times; writing it again
 * replaces the whole. Once `put` resolves, the file survives whatever happens to the process or the machine.
 */
export type Storage = {
  put(key: string, bytes: Uint8Array, mimeType: string): Promise<void>
  /** For a file that comes piece by piece and is too large to be held in memory. */
  draft(): Promise<StorageDraft>
  /** Returns null when the file does not exist. */
  get(key: string): Promise<Uint8Array | null>
  stream(key: string): Promise<ReadableStream<Uint8Array> | null>
  /** Does nothing when the file does not exist. */
  delete(key: string): Promise<void>
}

/** A file on its way in, on the disk of this machine. It is invisible before it is kept; then it is stored as if it had been put. */
export type StorageDraft = {
  write(bytes: Uint8Array): Promise<void>
  keep(key: string, mimeType: string): Promise<void>
  /** Leaves nothing behind. Quietly, when it was kept or discarded before. */
  discard(): Promise<void>
}

const KEY = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/
const KEY_CHARACTERS_MAX = 500

/** Our code creates keys. One that could leave its folder is a bug, and this check throws. */
export function checkKey(key: string): string {
  if (key.length > KEY_CHARACTERS_MAX || !KEY.test(key)) throw new RangeError(`"${key}" is not a storage key`)
  return key
}
