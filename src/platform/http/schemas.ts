import { z } from 'zod'
import { type IdPrefix, idPrefixes } from '../../kernel/ids.ts'
import { BLANK_SAYS, isBlank, VISIBLE_OR_EMPTY_PATTERN, VISIBLE_PATTERN } from '../../kernel/text.ts'

/** The building blocks of public shapes. Strings are bounded and patterned, because the description must say so. */
export const idSchema = <Prefix extends IdPrefix>(prefix: Prefix) => {
  if (!idPrefixes.includes(prefix)) throw new Error(`unknown id prefix ${prefix}`)
  return z
    .string()
    .max(40)
    .regex(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`), `This must be an id that begins with "${prefix}_".`)
    .meta({ description: `Id that begins with \`${prefix}_\`. Treat it as opaque; ids sort by creation time.` })
}

/** RFC 3339 in UTC with milliseconds. */
export const timeSchema = z
  .string()
  .max(24)
  .regex(
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
    'This must be a time in UTC such as 2026-11-14T09:30:00.000Z.',
  )
  .meta({ format: 'date-time', description: 'RFC 3339, UTC, with milliseconds.' })

/** A time that a caller gives: any offset will do, but it has to exist. */
export const momentSchema = z.iso
  .datetime({ offset: true, error: 'This must be a time such as 2026-11-14T09:30:00Z.' })
  .max(40)
  .meta({ format: 'date-time', description: 'RFC 3339, with Z or an offset.' })

const EARLIEST_MS = Date.parse('0001-01-01T00:00:00.000Z')
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * The year 0000, and what an offset moves out of the four digits, is a legal spelling that the database does not read.
 * Nothing here is that old or that far ahead, so the nearest time that it does read compares alike.
 */
export const momentOf = (text: string): Date => new Date(Math.min(Math.max(Date.parse(text), EARLIEST_MS), LATEST_MS))

/** Characters as people and JSON Schema count them (code points), not as JavaScript does: an emoji is one. */
const characterCount = (text: string) => {
  let count = 0
  for (const _ of text) count += 1
  return count
}

const tooLong = (max: number) => ({
  message: `At most ${max} characters.`,
  params: { code: 'too_long', params: { max } },
})
const tooShort = (min: number) => ({
  message: `At least ${min} characters.`,
  params: { code: 'too_short', params: { min } },
})

export const textSchema = (lengthMax: number, lengthMin = 0) =>
  z
    .string()
    .refine((text) => text.length <= lengthMax || characterCount(text) <= lengthMax, tooLong(lengthMax))
    .refine((text) => lengthMin === 0 || characterCount(text) >= lengthMin, tooShort(lengthMin))
    .meta({ pattern: '^[^\\u0000]*$', maxLength: lengthMax, ...(lengthMin > 0 && { minLength: lengthMin }) })

const blank = { message: BLANK_SAYS, params: { code: 'blank' } }

/** For names and bodies: a text that shows something. With `lengthMin` 0 it may also be empty. */
export const visibleText = (lengthMax: number, lengthMin: 0 | 1 = 1) =>
  textSchema(lengthMax, lengthMin)
    .refine((text) => text === '' || !isBlank(text), blank)
    .meta({ pattern: lengthMin === 0 ? VISIBLE_OR_EMPTY_PATTERN : VISIBLE_PATTERN })

/** A rule for the reader of the description: where the condition holds, so must the consequence. */
export const publishedRule = (condition: object, consequence: object): Record<string, object> =>
  Object.fromEntries([
    ['if', condition],
    ['then', consequence],
  ])

/** A page of what has a name is named after it. */
export const listOf = <Item extends z.ZodType>(item: Item) => {
  const list = z.object({
    object: z.literal('list'),
    data: z.array(item).max(100),
    has_more: z.boolean().meta({ description: 'Whether there is another page.' }),
    next_cursor: z
      .string()
      .max(512)
      .regex(/^[A-Za-z0-9_-]*$/)
      .nullable()
      .meta({ description: 'Pass as `cursor` for the next page; null on the last.' }),
    url: z.string().max(200).regex(/^\//).meta({ description: 'The path of this list.' }),
  })
  const id = item.meta()?.id
  return id === undefined ? list : list.meta({ id: `${id}List` })
}

/** Of the data that callers attach to what they create. */
export const METADATA_KEYS_MAX = 50
export const METADATA_VALUE_MAX = 500

export const metadataSchema = z
  .record(textSchema(40, 1), textSchema(METADATA_VALUE_MAX))
  .refine((record) => Object.keys(record).length <= METADATA_KEYS_MAX, {
    message: `At most ${METADATA_KEYS_MAX} members.`,
    params: { code: 'too_many', params: { max: METADATA_KEYS_MAX } },
  })
  .meta({
    description: `Your data: at most ${METADATA_KEYS_MAX} keys with strings of at most ${METADATA_VALUE_MAX} characters.`,
    maxProperties: METADATA_KEYS_MAX,
  })

export const limitParameter = z.int().min(1).max(100).default(25).meta({ description: 'How many to return, 1 to 100.' })

export const cursorParameter = z
  .string()
  .min(1)
  .max(512)
  .regex(/^[A-Za-z0-9_-]+$/, 'This is not a cursor. Pass `next_cursor` of the page before, unchanged.')
  .optional()
  .meta({ description: '`next_cursor` of the previous page.' })
