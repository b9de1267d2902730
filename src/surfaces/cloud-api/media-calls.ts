import { createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { mediaIdOf, wireMediaIdOf } from '../../channels/content/content.ts'
import type { Media } from '../../channels/media/media.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import { isSameSecret } from '../../kernel/same-secret.ts'
import { publishedId, storedId } from '../../kernel/seeded-ids.ts'
import { standardHeaders } from '../../platform/http/pipeline/reply.ts'
import type { CloudApiCall, CloudApiContext, CloudApiReply, MediaLinks } from './cloud-api-context.ts'
import { CloudApiProblem, objectUnknown } from './cloud-api-problem.ts'
import { requireNumber } from './management-calls.ts'

/** Files: upload, where the bytes are, the bytes themselves, and delete. */
export async function uploadMedia(context: CloudApiContext, call: CloudApiCall): Promise<CloudApiReply> {
  const number = await requireNumber(context, call)
  const { orgId } = call.caller
  const upload = await context.readUpload(orgId, call.request, call.query)
  call.exchange.requestBytes = upload.draft.bytes()
  try {
    const { id } = await context.media.store(orgId, { ...upload, numberId: number.id })
    return { status: 200, body: JSON.stringify({ id: wireMediaIdOf(id) }) }
  } finally {
    // The draft is removed when it could not be stored; a stored file stays.
    await upload.draft.discard()
  }
}

export async function describeMedia(context: CloudApiContext, call: CloudApiCall): Promise<CloudApiReply> {
  const { orgId } = call.caller
  const mediaId = mediaIdOf(call.objectId)
  const media = mediaId === null ? null : await findFetched(context, call, mediaId)
  if (media === null) throw objectUnknown(call.request.method, call.objectId)
  if (media.state !== 'stored') throw notHere(media)
  const name = publishedId(media.id)
  const address = `${context.publicUrl}${call.basePath}/v1/${name}/content`
  const descriptor = {
    messaging_product: 'whatsapp',
    url: `${address}?${context.links.sign(orgId, name)}`,
    mime_type: media.mime_type,
    sha256: media.sha256,
    file_size: Number(media.bytes),
    id: wireMediaIdOf(media.id),
  }
  // The address in it expires, so it must not be cached.
  call.headers.push('Cache-Control', 'no-store')
  return { status: 200, body: JSON.stringify(descriptor) }
}

const LOOK_EVERY_MS = 50

/**
 * A bot asks for a file as soon as it hears of it, and with Meta the file is there by then. Here it may still be on its way from
 * the network, so the answer waits for it a while.
 */
async function findFetched(context: CloudApiContext, { caller, request }: CloudApiCall, id: string) {
  const deadline = performance.now() + context.mediaWaitMs
  const find = () => context.media.find(caller.orgId, id)
  let media = await find()
  while (media?.state === 'pending' && performance.now() < deadline && !request.signal.aborted) {
    await pause(LOOK_EVERY_MS)
    media = await find()
  }
  return media
}

const notHere = ({ problem, state }: Media) =>
  new CloudApiProblem({
    status: 400,
    code: 131052,
    title: 'Media download error',
    details:
      state === 'pending'
        ? 'This file has not been fetched from the network yet. Try again in a moment.'
        : `This file could not be fetched from the network: ${problem}`,
    errorCode: state === 'pending' ? 'media_not_ready' : 'media_unavailable',
  })

const linkExpired = () =>
  new CloudApiProblem({
    status: 404,
    code: 100,
    subcode: 33,
    type: 'GraphMethodException',
    title: 'This address has expired or was changed. Ask for the media object again to get a new one.',
    isPlain: true,
    errorCode: 'media_link_expired',
  })

/** The bytes, at the address that `describeMedia` gave. Never shown as a page, whatever the file calls itself. */
export async function readContent(context: CloudApiContext, call: CloudApiCall): Promise<CloudApiReply> {
  const { orgId } = call.caller
  if (!context.links.isValid(orgId, call.objectId, call.query)) throw linkExpired()
  const opened = await context.media.open(orgId, storedId(call.objectId as Id<'med'>))
  if (opened === null) throw linkExpired()
  const { media, stream } = opened
  const isHead = call.request.method === 'HEAD'
  if (isHead) await stream.cancel()
  const headers = new Headers({
    ...standardHeaders,
    'X-Request-Id': call.exchange.requestId,
    'Content-Type': media.mime_type,
    'Content-Length': String(media.bytes),
    'Content-Disposition': dispositionOf(media),
    'Cache-Control': 'private, no-store',
  })
  for (let index = 0; index < call.headers.length; index += 2)
    headers.set(call.headers[index] as string, call.headers[index + 1] as string)
  return { response: new Response(isHead ? null : stream, { status: 200, headers }), bytes: Number(media.bytes) }
}

/** Always with a name, as Meta's: clients exist that fail without one. */
const dispositionOf = ({ filename, mime_type: mimeType }: Media) =>
  filename === null
    ? `attachment; filename=file.${/\/(?:x-)?([a-z0-9]{1,10})\b/.exec(mimeType)?.[1] ?? 'bin'}`
    : `attachment; filename*=UTF-8''${encodeURIComponent(filename)}`

export async function deleteMedia(context: CloudApiContext, call: CloudApiCall): Promise<CloudApiReply> {
  const mediaId = mediaIdOf(call.objectId)
  const isGone = mediaId !== null && (await context.media.delete(call.caller.orgId, mediaId))
  if (!isGone) throw objectUnknown(call.request.method, call.objectId)
  return { status: 200, body: JSON.stringify({ success: true }) }
}

const LIFETIME_SECONDS = 300

export function createMediaLinks({ key, clock }: { key: Uint8Array; clock: Clock }): MediaLinks {
  const signature = (orgId: OrgId, mediaId: string, expires: string) =>
    createHmac('sha256', key).update(`${orgId}\n${mediaId}\n${expires}`).digest('base64url')
  return {
    sign(orgId, mediaId) {
      const expires = String(Math.floor(clock.now() / 1000) + LIFETIME_SECONDS)
      return new URLSearchParams({ expires, signature: signature(orgId, mediaId, expires) }).toString()
    },
    isValid(orgId, mediaId, query) {
      const expires = query.get('expires') ?? ''
      if (!/^\d{1,15}$/.test(expires) || Number(expires) * 1000 < clock.now()) return false
      return isSameSecret(query.get('signature') ?? '', signature(orgId, mediaId, expires))
    },
  }
}
