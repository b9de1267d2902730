import { type MediaContext, openMedia } from '../../../channels/media/media.ts'
import { ProblemError } from '../../../kernel/errors.ts'
import type { OrgId } from '../../../kernel/ids.ts'

/**
 * A file of a chat for the console. Files of customers are untrusted: only pictures, sound and film are shown inline,
 * all others are offered as a download, and none can run as a page of ours.
 */
const SHOWN_IN_PLACE = /^(image\/(jpeg|png|webp|gif)|audio\/[\w.+-]+|video\/(mp4|3gpp))$/

export async function sendFile(context: MediaContext, orgId: OrgId, id: string): Promise<Response> {
  try {
    const { media, stream } = await openMedia(context, orgId, id)
    const mimeType = media.mime_type.split(';')[0]?.trim() ?? ''
    const isShown = SHOWN_IN_PLACE.test(mimeType)
    const name = encodeURIComponent(media.filename ?? id)
    return new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>, {
      headers: {
        'Content-Type': isShown ? mimeType : 'application/octet-stream',
        'Content-Disposition': `${isShown ? 'inline' : 'attachment'}; filename*=UTF-8''${name}`,
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': 'private, max-age=3600',
      },
    })
  } catch (error) {
    if (error instanceof ProblemError) return new Response(null, { status: error.status })
    throw error
  }
}
