import { z } from 'zod'
import { BEYOND_SCHEMA } from '../../platform/http/pipeline/validation.ts'
import { idSchema, textSchema, timeSchema, visibleText } from '../../platform/http/schemas.ts'

/** What a saved reply may contain in double braces. The page that sends it replaces them. */
export const replyVariables = [
  'customer_name',
  'shop_name',
  'order_number',
  'order_total',
  'order_link',
] as const satisfies readonly string[]

const BODY_MAX = 4096
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g

const unknownVariables = (text: string) =>
  [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name).filter((name) => !isVariable(name))

const isVariable = (name: string) => (replyVariables as readonly string[]).includes(name)

const shortcut = textSchema(40, 1)
  .regex(/^[a-z0-9][a-z0-9_-]*$/, 'This must be lower-case letters, digits, hyphens and underscores.')
  .meta({ pattern: '^[a-z0-9][a-z0-9_-]*$', description: 'What is typed after the slash. Unique.' })

const body = visibleText(BODY_MAX)
  .refine((text) => unknownVariables(text).length === 0, {
    message: `A variable is unknown. Use ${replyVariables.map((name) => `{{${name}}}`).join(', ')}.`,
    params: { code: 'unknown_variable', ...BEYOND_SCHEMA },
  })
  .meta({
    description: `The text. It may contain ${replyVariables.map((name) => `\`{{${name}}}\``).join(', ')}.`,
  })

export const SavedReply = z
  .object({
    object: z.literal('saved_reply'),
    id: idSchema('srp'),
    shortcut: textSchema(40),
    body: textSchema(BODY_MAX),
    created_at: timeSchema,
    updated_at: timeSchema,
  })
  .meta({ id: 'SavedReply', description: 'A text that the team sends often.' })

export const NewSavedReply = z
  .strictObject({ shortcut, body })
  .meta({ id: 'NewSavedReply', description: 'A saved reply to create.' })

export const SavedReplyChange = z
  .strictObject({ shortcut: shortcut.optional(), body: body.optional() })
  .meta({ id: 'SavedReplyChange', description: 'The fields to change.' })

export const savedReplyExample = {
  object: 'saved_reply' as const,
  id: 'srp_01k9x3m5q8e0t9v7a2b4c6d8fg' as const,
  shortcut: 'ready',
  body: 'Halo {{customer_name}}, pesanan {{order_number}} sudah siap diambil di {{shop_name}}.',
  created_at: '2026-11-14T09:30:00.000Z',
  updated_at: '2026-11-14T09:30:00.000Z',
}
