import { z } from 'zod'
import { bareMimeType, MEDIA_RULES, mediaTypeOf } from '../../channels/content/content.ts'
import { mediaNotFound } from '../../channels/media/media.errors.ts'
import {
  deleteMediaIn,
  holdMedia,
  isContentOf,
  listMedia,
  type Media,
  type MediaContext,
  mimeTypeOfName,
  plainFileName,
  sayMismatch,
  storeMedia,
} from '../../channels/media/media.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { publishedId } from '../../kernel/seeded-ids.ts'
import { defineChange, defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import { uploadInvalid, valueRefused } from '../../platform/http/http.errors.ts'
import { type UploadedFile, uploaded } from '../../platform/http/pipeline/upload.ts'
import { refuseValues } from '../../platform/http/pipeline/validation.ts'
import { idSchema, textSchema, timeSchema } from '../../platform/http/schemas.ts'

/** Files by API: upload one to send it, and fetch what customers sent. The same files as in the Cloud API. */
export type MediaRouteParts = {
  media: MediaContext
  /** Signs the query of a download address. */
  mediaLinks: { sign(orgId: OrgId, mediaId: string): string }
  publicUrl: string
}

const BYTES_MAX = 16 * 1024 * 1024
const [FIRST = 'image/jpeg', ...OTHERS] = Object.values(MEDIA_RULES).flatMap((rule) => rule.mimeTypes)
const HEAD_BYTES = 1024
const DOWNLOAD_PATH = '/api/public/v1/v1'

const MediaShape = z
  .object({
    object: z.literal('media'),
    id: idSchema('med').meta({ description: 'For `media.id` of a message.' }),
    status: z.enum(['pending', 'stored', 'failed']).meta({
      description:
        '`pending`: a file of a customer is being fetched from the network. `failed`: the network does not have it.',
    }),
    mime_type: textSchema(255),
    filename: textSchema(300).nullable(),
    bytes: z.int().min(0).nullable(),
    sha256: textSchema(64).nullable(),
    problem: textSchema(1000).nullable().meta({ description: 'Why a file is `failed`.' }),
    download_url: textSchema(2048).nullable().meta({
      description: 'The file, for 5 minutes. Send the key with the request. Null unless it is `stored`.',
    }),
    created_at: timeSchema,
  })
  .meta({ id: 'MediaFile', description: 'A file that is sent or was received in a message.' })

const example: z.input<typeof MediaShape> = {
  object: 'media',
  id: 'med_01k9x3m5q8e0t9v7a2b4c6d8fg',
  status: 'stored',
  mime_type: 'image/jpeg',
  filename: 'menu.jpg',
  bytes: 48213,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  problem: null,
  download_url:
    'http://127.0.0.1:3900/api/public/v1/v1/med_01k9x3m5q8e0t9v7a2b4c6d8fg/content?expires=1794652200&signature=Jm8oBk10ass04dW9rWMOZCZvKAZuHt0f',
  created_at: '2026-11-14T09:30:00.000Z',
}

const params = z.object({ id: idSchema('med') })
const shared = { tag: 'Media', params } as const

const present = ({ mediaLinks, publicUrl }: MediaRouteParts, media: Media): z.input<typeof MediaShape> => {
  const name = publishedId(media.id)
  return {
    object: 'media',
    id: media.id,
    status: media.state,
    mime_type: media.mime_type,
    filename: media.filename,
    bytes: media.bytes === null ? null : Number(media.bytes),
    sha256: media.sha256,
    problem: media.problem,
    download_url:
      media.state === 'stored'
        ? `${publicUrl}${DOWNLOAD_PATH}/${name}/content?${mediaLinks.sign(media.org_id, name)}`
        : null,
    created_at: media.created_at.toISOString(),
  }
}

/** The type that the form or the request names, else by the ending of the name. */
function acceptFile({ name, type, bytes }: UploadedFile): { mimeType: string; filename: string | null } {
  const stated = [type, mimeTypeOfName(name)].find((one) => one != null && mediaTypeOf(one) !== null)
  const kind = stated == null ? null : mediaTypeOf(stated)
  if (stated == null || kind === null)
    throw refuseFile('type_not_allowed', `Send one of these types: ${[FIRST, ...OTHERS].join(', ')}.`)
  const mimeType = bareMimeType(stated)
  const { bytesMax } = MEDIA_RULES[kind]
  if (bytes.byteLength > bytesMax)
    throw refuseFile('too_large', `A file of type ${mimeType} has at most ${bytesMax} bytes.`)
  if (!isContentOf(mimeType, bytes.subarray(0, HEAD_BYTES))) throw refuseFile('content_mismatch', sayMismatch(mimeType))
  return { mimeType, filename: plainFileName(name) }
}

const refuseFile = (code: string, detail: string) => refuseValues([{ pointer: '#/file', code, detail }])

export const mediaRoutes = (parts: MediaRouteParts): Route[] => [
  defineRoute({
    tag: 'Media',
    id: 'uploadMedia',
    method: 'POST',
    path: '/media',
    summary: 'Upload a file',
    description:
      'Stores a file of up to 16 MB, to send it in a message by its id. Send it as it is, or as the part `file` of a form. Larger documents: `POST /v1/{phone_number_id}/media`.',
    access: key('messages:send'),
    // A repeat after a crash stores the file twice, which harms no one.
    idempotency: 'after',
    upload: { types: [FIRST, ...OTHERS], bytesMax: BYTES_MAX, exampleName: 'menu.jpg' },
    reply: { status: 201, body: MediaShape },
    location: ({ id }) => `/media/${id}`,
    errors: [uploadInvalid, valueRefused],
    example: { reply: example },
    async handle({ caller: { orgId }, file }) {
      const given = uploaded(file)
      return present(parts, await storeMedia(parts.media, orgId, { bytes: given.bytes, ...acceptFile(given) }))
    },
  }),
  defineRoute({
    ...shared,
    id: 'getMedia',
    method: 'GET',
    path: '/media/{id}',
    summary: 'Get a file',
    description: 'Returns the facts of a file and an address to download it.',
    access: key('chats:read'),
    reply: { status: 200, body: MediaShape },
    errors: [mediaNotFound],
    showsSecret: true,
    example: { params: { id: example.id }, reply: example },
    async handle({ caller: { orgId }, params: { id }, queries }) {
      const [media] = await listMedia(queries, orgId, [id])
      if (media === undefined) throw mediaNotFound({ params: { id } })
      return present(parts, media)
    },
  }),
  defineChange({
    ...shared,
    id: 'deleteMedia',
    method: 'DELETE',
    path: '/media/{id}',
    summary: 'Delete a file',
    description: 'Deletes a file. Messages that show it stay, without the file.',
    access: key('messages:send'),
    reply: { status: 204, body: null },
    errors: [mediaNotFound],
    example: { params: { id: example.id }, reply: undefined },
    lock: (tx, { caller: { orgId }, params: { id } }) => holdMedia(tx, orgId, id),
    async handle({ tx, caller: { orgId }, params: { id } }) {
      await deleteMediaIn(tx, parts.media, orgId, id)
      return undefined
    },
  }),
]
