import { entriesOf } from '../../kernel/records.ts'
import type { ContentProblem } from './content-checks.ts'
import type { MediaType } from './message-content.ts'

/** What files WhatsApp takes, by the kind of message they go into. A video or a drawing may always travel as a document. */
const KIB = 1024
const MIB = 1024 * KIB

export type MediaRule = { mimeTypes: readonly string[]; bytesMax: number }

const office = 'application/vnd.openxmlformats-officedocument'

export const MEDIA_RULES: Readonly<Record<MediaType, MediaRule>> = {
  image: { mimeTypes: ['image/jpeg', 'image/png'], bytesMax: 5 * MIB },
  video: { mimeTypes: ['video/mp4', 'video/3gpp'], bytesMax: 16 * MIB },
  audio: { mimeTypes: ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg'], bytesMax: 16 * MIB },
  // Animated ones may have 500 KB, still ones 100 KB; which it is, is known only where the file was looked into.
  sticker: { mimeTypes: ['image/webp'], bytesMax: 500 * KIB },
  document: {
    mimeTypes: [
      'text/plain',
      'application/pdf',
      'application/msword',
      'application/vnd.ms-excel',
      'application/vnd.ms-powerpoint',
      `${office}.wordprocessingml.document`,
      `${office}.spreadsheetml.sheet`,
      `${office}.presentationml.presentation`,
    ],
    bytesMax: 100 * MIB,
  },
}

const STILL_STICKER_BYTES_MAX = 100 * KIB

/** The most that any file may have: what an upload is bounded by before its kind is known. */
export const MEDIA_BYTES_MAX = Math.max(...Object.values(MEDIA_RULES).map((rule) => rule.bytesMax))

/** `audio/ogg; codecs=opus` is `audio/ogg`. */
export const bareMimeType = (mimeType: string) => (mimeType.split(';')[0] as string).trim().toLowerCase()

const MIME_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\x20-\x7e]*)?$/
const MIME_TYPE_LENGTH_MAX = 255

/** The app of a customer calls a file what it likes. What no header could say of it counts as not said. */
export const plainMimeType = (stated: string): string =>
  stated.length <= MIME_TYPE_LENGTH_MAX && MIME_TYPE.test(stated) ? stated : 'application/octet-stream'

/** The kind of message that a file of this type goes into; null for a type that none takes. */
export function mediaTypeOf(mimeType: string): MediaType | null {
  const bare = bareMimeType(mimeType)
  const entries = entriesOf(MEDIA_RULES)
  return entries.find(([, rule]) => rule.mimeTypes.includes(bare))?.[0] ?? null
}

export type KnownFile = { mimeType?: string | undefined; bytes?: number | undefined; isAnimated?: boolean | undefined }

/** What is known of a file, against what its kind allows. */
export function checkMediaFile(type: MediaType, file: KnownFile, path: ContentProblem['path'] = []): ContentProblem[] {
  const { mimeTypes, bytesMax } = MEDIA_RULES[type]
  const problems: ContentProblem[] = []
  if (file.mimeType !== undefined && !mimeTypes.includes(bareMimeType(file.mimeType))) {
    const detail = `A message of type ${type} accepts ${mimeTypes.join(', ')}; this file is ${bareMimeType(file.mimeType)}.`
    problems.push({ path, code: 'not_allowed', detail, params: { allowed: mimeTypes } })
  }
  const max = type === 'sticker' && file.isAnimated === false ? STILL_STICKER_BYTES_MAX : bytesMax
  if (file.bytes !== undefined && file.bytes > max) {
    const detail = `A message of type ${type} accepts files of at most ${max} bytes; this file has ${file.bytes}.`
    problems.push({ path, code: 'too_large', detail, params: { max } })
  }
  return problems
}
