import { hash } from 'node:crypto'
import { bodyTooLarge, mediaTypeUnsupported, requestTimeout, uploadInvalid } from '../http.errors.ts'
import { boundaryOf, MultipartReader } from '../upload/multipart-reader.ts'
import { readBody } from './body-reader.ts'

/** A route whose body is one file that fits into memory: the file itself, or the part `file` of a form. */
export type UploadRule = {
  /** The documented type first; the others are spellings of it. */
  types: readonly [string, ...string[]]
  bytesMax: number
  /** The name in examples. */
  exampleName: string
}

export type UploadedFile = {
  name: string | null
  type: string | null
  bytes: Uint8Array
  /** Stands for the content where requests are compared. */
  sha256: string
}

/** The file of a route that declares `upload`. */
export function uploaded(file: UploadedFile | undefined): UploadedFile {
  if (file === undefined) throw new Error('the route declares no upload')
  return file
}

const MEGABYTE = 1024 * 1024

/** Spreadsheets and browsers have several names for CSV. */
export const csvUpload = (exampleName: string): UploadRule => ({
  types: ['text/csv', 'application/csv', 'text/plain', 'application/vnd.ms-excel', 'text/tab-separated-values'],
  bytesMax: 8 * MEGABYTE,
  exampleName,
})

const bareType = (header: string | null): string => (header ?? '').split(';')[0]?.trim().toLowerCase() ?? ''

export async function readUpload(request: Request, rule: UploadRule, timeoutMs: number): Promise<UploadedFile> {
  const contentType = request.headers.get('content-type')
  const boundary = boundaryOf(contentType)
  if (boundary === null && !rule.types.includes(bareType(contentType))) throw unsupported(rule)
  const read = await readBody(request, { bytesMax: rule.bytesMax, timeoutMs })
  if (!read.ok) {
    if (read.reason === 'too_large') throw bodyTooLarge({ params: { bytes_max: rule.bytesMax } })
    if (read.reason === 'encoding_unsupported') throw unsupported(rule)
    if (read.reason === 'encoding_invalid') throw uploadInvalid({ says: 'The body is not valid gzip.' })
    throw requestTimeout({ params: { timeout_ms: timeoutMs } })
  }
  const file =
    boundary === null
      ? { name: null, type: bareType(contentType), bytes: read.bytes }
      : readForm(read.bytes, boundary, rule)
  if (file.bytes.byteLength === 0) throw uploadInvalid({ says: 'The file is empty. Send a file with content.' })
  return { ...file, sha256: hash('sha256', file.bytes, 'hex') }
}

const unsupported = ({ types: [type] }: UploadRule) =>
  mediaTypeUnsupported({
    says: `Send the file as "Content-Type: ${type}", or as the part "file" of multipart/form-data.`,
    headers: { Accept: `${type}, multipart/form-data` },
  })

function readForm(body: Uint8Array, boundary: string, { bytesMax }: UploadRule): Omit<UploadedFile, 'sha256'> {
  const pieces: Buffer[] = []
  const form = new MultipartReader({
    boundary,
    fileBytesMax: () => bytesMax,
    takeFile: (piece) => pieces.push(Buffer.from(piece)),
  })
  const problem = form.push(body)
  const finished = problem === null ? form.finish() : null
  if (finished === null) throw uploadInvalid({ says: 'The form cannot be read as multipart/form-data.' })
  if (finished.file === null) throw uploadInvalid()
  return { name: finished.file.filename, type: finished.file.mimeType, bytes: Buffer.concat(pieces) }
}
