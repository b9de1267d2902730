import { z } from 'zod'
import { CAPTION_MAX, MEDIA_TYPES } from '../../../channels/content/content.ts'
import { FILE_ENDINGS } from '../../../channels/media/media.ts'
import { numberNotFound } from '../../../channels/numbers/numbers.errors.ts'
import { defineRoute, type Route } from '../../../platform/http/define-route.ts'
import { idSchema, textSchema } from '../../../platform/http/schemas.ts'
import { session } from '../sign-in/session-caller.ts'
import type { MediaLimitsReader } from './media-limits.ts'

/**
 * The files that may be attached in a chat, so a client knows before it uploads one. The upload is in media-upload.ts.
 */
const Limits = z
  .object({
    caption_characters_max: z.int(),
    kinds: z.array(
      z.object({
        type: z.enum(MEDIA_TYPES),
        mime_types: z.array(textSchema(100)),
        bytes_max: z.int(),
        takes_caption: z.boolean(),
      }),
    ),
    endings: z
      .record(textSchema(10), textSchema(100))
      .meta({ description: 'The types of files by the endings of their names, for browsers that do not know them.' }),
  })
  .meta({ id: 'MediaLimits' })

export const mediaRoutes = ({ readLimits }: { readLimits: MediaLimitsReader }): Route[] => [
  defineRoute({
    tag: 'Chats',
    description: 'Of the console.',
    access: session(null),
    id: 'getMediaLimits',
    method: 'GET',
    path: '/numbers/{id}/media-limits',
    summary: 'What files a number takes',
    params: z.object({ id: idSchema('num') }),
    reply: { status: 200, body: Limits },
    errors: [numberNotFound],
    example: {
      params: { id: 'num_01kmz3v7n2e0a8tq9fj6hx5c4d' },
      reply: {
        caption_characters_max: CAPTION_MAX,
        kinds: [{ type: 'image', mime_types: ['image/jpeg', 'image/png'], bytes_max: 5_242_880, takes_caption: true }],
        endings: { png: 'image/png' },
      },
    },
    async handle({ params: { id }, caller }) {
      const limits = await readLimits(caller.orgId, id)
      return {
        caption_characters_max: CAPTION_MAX,
        kinds: limits.map(({ type, mimeTypes, bytesMax, takesCaption }) => ({
          type,
          mime_types: [...mimeTypes],
          bytes_max: bytesMax,
          takes_caption: takesCaption,
        })),
        endings: FILE_ENDINGS,
      }
    },
  }),
]
