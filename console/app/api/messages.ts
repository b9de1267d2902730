import { queryOptions } from '@tanstack/react-query'
import type * as Sdk from '../../../sdk/src/generated/types.ts'
import { call, queryText, readProblem } from './client.ts'
import { type Closed, type MediaLimits, mediaKinds } from './generated.ts'
import { offline } from './problem.ts'

export type Message = Closed<Sdk.Message>
export type MessageStatus = Message['status']
export type Media = NonNullable<Message['media']>
export type Template = NonNullable<Message['template']>
export type Referral = NonNullable<Message['referral']>
export type { NewMessage } from '../../../sdk/src/generated/types.ts'

/** Not what only ever arrives, nor what is no longer whole. */
export function canBeSentAgain({ type, body, media, template, location, contacts, interactive, reaction }: Message) {
  const contents = { text: body, template, location, contacts, interactive, reaction: reaction?.message_id ?? null }
  if (isMediaKind(type)) return media !== null
  return type in contents && contents[type as keyof typeof contents] !== null
}

const isMediaKind = (type: Message['type']): type is MediaKind => mediaKinds.some((kind) => kind === type)

export const sendMessage = (body: Sdk.NewMessage, idempotencyKey?: string) =>
  call('POST /api/proxy/messages', { body, idempotencyKey })
/** With all that it carried, also what is not shown here. The one that failed stays where it is. */
export const sendAgain = (id: string, idempotencyKey: string) =>
  call('POST /api/console/messages/{id}/again', { params: { id }, body: {}, idempotencyKey })
export const cancelMessage = (id: string) => call('DELETE /api/proxy/messages/{id}', { params: { id } })
export const getMessage = (id: string) => call('GET /api/proxy/messages/{id}', { params: { id } })

/** A message that is quoted but not on the screen. */
export const messageQuery = (id: string) =>
  queryOptions({
    queryKey: ['message', id],
    queryFn: ({ signal }) => call('GET /api/proxy/messages/{id}', { params: { id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Messages of all chats with words that begin with these, newest first. */
export const foundMessagesQuery = (q: string) =>
  queryOptions({
    queryKey: ['found-messages', q],
    queryFn: ({ signal }) => call('GET /api/proxy/messages', { query: { q, limit: 10 }, signal }),
    staleTime: 10_000,
  })

/** Where the bytes of a file are, for the person who is signed in. */
export const mediaUrl = (id: string) => `/api/console/media/${encodeURIComponent(id)}`

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
