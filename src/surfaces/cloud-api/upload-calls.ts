import { createUploadBudget } from '../../channels/media/media.ts'
import { readBody } from '../../platform/http/pipeline/body-reader.ts'
import type { CloudApiCall, CloudApiContext, CloudApiReply } from './cloud-api-context.ts'
import { CloudApiProblem, objectUnknown, requestInvalid } from './cloud-api-problem.ts'
import { manageNumber } from './management-calls.ts'
import { readFields } from './request-body.ts'

/**
 * Graph's uploads for templates and profiles: `POST /{app}/uploads` announces a file, `POST /upload:…` sends its bytes and is
 * answered with a handle, which a template or a profile names. An organization with a real number has both forwarded to Graph with
 * its token; the simulator answers all others.
 */
const BYTES_MAX = 16 * 1024 * 1024
const TIMEOUT_MS = 120_000

const budget = createUploadBudget()

export async function beginUpload(context: CloudApiContext, call: CloudApiCall): Promise<CloudApiReply> {
  const number = await requireManaged(context, call)
  return manageNumber(context, call, { number, about: 'app', body: await readFields(context, call) })
}

export async function continueUpload(context: CloudApiContext, call: CloudApiCall): Promise<CloudApiReply> {
  const number = await requireManaged(context, call)
  if (call.request.method !== 'POST') return manageNumber(context, call, { number, about: 'upload', body: {} })
  const share = budget(call.caller.orgId)
  const bytes = Number(call.request.headers.get('content-length') ?? BYTES_MAX)
  try {
    if (!share.take(bytes)) throw busy()
    const file = { bytes: await readBytes(call), offset: call.request.headers.get('file_offset') ?? '0' }
    return await manageNumber(context, call, { number, about: 'upload', body: {}, file })
  } finally {
    share.release(bytes)
  }
}

/** A handle belongs to the app, not to a number: any number knows the way to Graph, and a real one comes first. */
async function requireManaged(context: CloudApiContext, call: CloudApiCall) {
  const managed = (await context.numbers.list(call.caller.orgId)).filter(({ isManaged }) => isManaged)
  const number = managed.find(({ isSimulated }) => !isSimulated) ?? managed[0]
  if (number === undefined) throw objectUnknown(call.request.method, call.objectId)
  return number
}

async function readBytes({ request, exchange }: CloudApiCall): Promise<Uint8Array> {
  const read = await readBody(request, { bytesMax: BYTES_MAX, timeoutMs: TIMEOUT_MS })
  if (!read.ok)
    throw requestInvalid(
      read.reason === 'too_large' ? `An upload has at most ${BYTES_MAX} bytes.` : 'The upload ended before its end.',
    )
  exchange.requestBytes = read.bytes.byteLength
  return read.bytes
}

const busy = () =>
  new CloudApiProblem({
    ...{ status: 503, code: 131016, title: 'Service unavailable' },
    details: 'Too many files are being uploaded at once. Try again in a moment.',
    headers: { 'Retry-After': '1' },
    errorCode: 'unavailable',
  })
