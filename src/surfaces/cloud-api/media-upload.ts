import { bareMimeType, MEDIA_BYTES_MAX, MEDIA_RULES, mediaTypeOf } from '../../channels/content/content.ts'
import {
  createUploadBudget,
  isContentOf,
  type MediaDraft,
  mimeTypeOfName,
  plainFileName,
  sayMismatch,
  type UploadShare,
} from '../../channels/media/media.ts'
import {
  boundaryOf,
  type FilePart,
  type MultipartProblem,
  MultipartReader,
} from '../../platform/http/upload/multipart-reader.ts'
import type { Upload, UploadReader } from './cloud-api-context.ts'
import { CloudApiProblem, requestInvalid } from './cloud-api-problem.ts'
import { checkProduct } from './send-request.ts'

/**
 * `POST …/media`: a file as a form. What clients send differs: `type` may be a MIME type, a kind (`image`) or absent, and
 * `messaging_product` may stand in the query. The type is taken from the file's own header first, then from `type`, then
 * from the ending of its name.
 *
 * A file goes to the disk as it comes and is kept once it is whole and allowed; whatever ends before that leaves nothing.
 * Uploads have a budget, all together and those of one organization; what would exceed it is asked to come again.
 */
type BeginDraft = () => Promise<MediaDraft>

const TIMEOUT_MS = 120_000
/** Includes everything beside the file: the other parts and their headers. */
const FORM_BYTES_MAX = MEDIA_BYTES_MAX + 128 * 1024

const ALLOWED = Object.values(MEDIA_RULES).flatMap((rule) => rule.mimeTypes)

const fileTooLarge = (details: string) =>
  new CloudApiProblem({
    status: 400,
    code: 131053,
    title: 'Media upload error',
    details,
    errorCode: 'media_too_large',
  })

const contentMismatch = (mimeType: string) =>
  new CloudApiProblem({
    status: 400,
    code: 131053,
    title: 'Media upload error',
    details: `file: ${sayMismatch(mimeType)}`,
    errorCode: 'file_content_mismatch',
  })

const busy = () =>
  new CloudApiProblem({
    status: 503,
    code: 131016,
    title: 'Service unavailable',
    details: 'Too many files are being uploaded at once. Try again in a moment.',
    headers: { 'Retry-After': '1' },
    errorCode: 'unavailable',
  })

const cutShort = () => requestInvalid('The form ends before its last part does.')

export function createUploadReader(begin: BeginDraft): UploadReader {
  const budget = createUploadBudget()
  return async (orgId, request, query) => {
    const draft = await begin()
    try {
      const form = await readForm(request, draft, budget(orgId))
      checkProduct(form.fields.messaging_product ?? query.get('messaging_product'))
      if (form.file === null) throw requestInvalid('The parameter file is required.')
      const accepted = acceptFile(form.file, form.fields.type ?? query.get('type') ?? null)
      if (!isContentOf(accepted.mimeType, draft.head())) throw contentMismatch(accepted.mimeType)
      return { draft, ...accepted }
    } catch (error) {
      await draft.discard()
      throw error
    }
  }
}

function acceptFile(file: FilePart, type: string | null): Omit<Upload, 'draft'> {
  const mimeType = mimeTypeOf(file, type)
  const kind = mimeType === null ? null : mediaTypeOf(mimeType)
  if (mimeType === null || kind === null)
    throw requestInvalid(`Param file must be a file with one of the following types: ${ALLOWED.join(', ')}.`)
  const { bytesMax } = MEDIA_RULES[kind]
  if (file.bytes > bytesMax) throw fileTooLarge(`file: At most ${bytesMax} bytes for ${mimeType}.`)
  if (file.bytes === 0) throw requestInvalid('The parameter file must not be empty.')
  return { mimeType, filename: plainFileName(file.filename) }
}

function mimeTypeOf({ mimeType, filename }: Omit<FilePart, 'bytes'>, type: string | null): string | null {
  const candidates = [mimeType, type, mimeTypeOfName(filename)]
  const known = candidates.find((candidate) => candidate != null && mediaTypeOf(candidate) !== null)
  return known == null ? null : bareMimeType(known)
}

async function readForm(request: Request, draft: MediaDraft, share: UploadShare) {
  const boundary = boundaryOf(request.headers.get('content-type'))
  if (boundary === null || request.body === null)
    throw requestInvalid('Send the file as multipart/form-data, in a part called file.')
  const fileBytesMax = (part: Omit<FilePart, 'bytes'>) => {
    const kind = mediaTypeOf(mimeTypeOf(part, null) ?? '')
    return kind === null ? MEDIA_BYTES_MAX : MEDIA_RULES[kind].bytesMax
  }
  const announced = Number(request.headers.get('content-length') ?? Number.NaN)
  if (announced > FORM_BYTES_MAX) throw fileTooLarge('file: The file is larger than any may be.')
  const pieces: Buffer[] = []
  const form = new MultipartReader({ boundary, fileBytesMax, takeFile: (piece) => pieces.push(piece) })
  await readBody(request.body, share, async (chunk) => {
    const problem = form.push(chunk)
    for (const piece of pieces.splice(0)) await draft.write(piece)
    return problem
  })
  const finished = form.finish()
  if (finished === null) throw cutShort()
  return finished
}

/** The next is asked for once the last was taken: a disk that is slow slows the sender down. */
async function readBody(
  body: ReadableStream<Uint8Array>,
  share: UploadShare,
  take: (chunk: Uint8Array) => Promise<MultipartProblem | null>,
): Promise<void> {
  const reader = body.getReader()
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), TIMEOUT_MS)
  let bytes = 0
  try {
    for (;;) {
      // A connection that is lost is the sender's, and no fault of ours.
      const { done, value } = await reader.read().catch(() => {
        throw cutShort()
      })
      if (done) return
      bytes += value.byteLength
      if (!share.take(value.byteLength)) throw busy()
      const problem = bytes > FORM_BYTES_MAX ? 'file_too_large' : await take(value)
      if (problem === 'file_too_large') throw fileTooLarge('file: The file is larger than its type may be.')
      if (problem !== null) throw requestInvalid('The form cannot be read as multipart/form-data.')
    }
  } finally {
    clearTimeout(timer)
    share.release(bytes)
    void reader.cancel().catch(() => {})
  }
}
