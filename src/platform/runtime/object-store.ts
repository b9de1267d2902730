/** An S3-compatible object store, by Bun's own client: it signs requests and streams bodies without another package. */
export type ObjectStoreSettings = {
  endpoint: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

export type ObjectStore = {
  put(key: string, bytes: Uint8Array, mimeType: string): Promise<void>
  /** From the disk, in parts when it is large: it is never whole in memory. */
  putFile(key: string, path: string, mimeType: string): Promise<void>
  get(key: string): Promise<Uint8Array>
  stream(key: string): ReadableStream<Uint8Array>
  exists(key: string): Promise<boolean>
  delete(key: string): Promise<void>
}

export function openObjectStore(settings: ObjectStoreSettings): ObjectStore {
  const client = new Bun.S3Client(settings)
  return {
    async put(key, bytes, mimeType) {
      await client.write(key, bytes, { type: mimeType })
    },
    async putFile(key, path, mimeType) {
      await client.write(key, Bun.file(path), { type: mimeType })
    },
    async get(key) {
      return new Uint8Array(await client.file(key).arrayBuffer())
    },
    stream: (key) => client.file(key).stream() as ReadableStream<Uint8Array>,
    exists: (key) => client.exists(key),
    delete: (key) => client.delete(key),
  }
}

export const isObjectAbsent = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  (error.code === 'NoSuchKey' || error.code === 'NotFound')
