import { queryOptions } from '@tanstack/react-query'
import { call, queryText, readProblem } from './client.ts'
import type { MediaLimits } from './generated.ts'
import { offline } from './problem.ts'

/** Files for messages: what a number takes, and handing one over. */
export type { MediaLimits } from './generated.ts'
export type MediaKind = MediaLimits['kinds'][number]['type']

export const mediaLimitsQuery = (numberId: string) =>
  queryOptions({
    queryKey: ['media-limits', numberId],
    queryFn: ({ signal }) => call('GET /api/console/numbers/{id}/media-limits', { params: { id: numberId }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

export type Uploading = {
  file: File
  numberId: string
  mimeType: string
  /** From 0 to 1. */
  onProgress: (part: number) => void
  signal: AbortSignal
}

/** By the older of the two ways to ask, because the newer one does not tell how much has been sent. */
export const uploadMedia = ({ file, numberId, mimeType, onProgress, signal }: Uploading): Promise<{ id: string }> =>
  new Promise((resolve, reject) => {
    const path = `/api/console/media${queryText({ number_id: numberId, filename: file.name })}`
    const request = new XMLHttpRequest()
    request.open('POST', path)
    request.setRequestHeader('content-type', mimeType)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total)
    request.onload = () => {
      if (request.status === 201) resolve(JSON.parse(request.responseText) as { id: string })
      else readProblem(new Response(request.responseText, { status: request.status }), path).then(reject)
    }
    request.onerror = () => reject(offline())
    request.onabort = () => reject(new DOMException('taken back', 'AbortError'))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(file)
  })
