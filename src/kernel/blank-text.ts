/**
 * Text that shows nothing: empty, or only white space, control characters and characters that are not drawn, such as a
 * zero-width space or a variation selector.
 */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/u

export const isBlank = (text: string): boolean => !VISIBLE.test(text)

/** The same characters as ranges, for published patterns: not every reader of a schema knows Unicode properties. */
const INVISIBLE =
  '\\u0000-\\u0020\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f-\\u1160\\u1680\\u17b4-\\u17b5\\u180b-\\u180f\\u2000-\\u200f' +
  '\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufff8'

export const VISIBLE_PATTERN = `^[^\\u0000]*[^${INVISIBLE}][^\\u0000]*$`
export const VISIBLE_OR_EMPTY_PATTERN = `^(?:[^\\u0000]*[^${INVISIBLE}][^\\u0000]*)?$`

export const BLANK_SAYS = 'This must not be blank. Give a text that can be seen.'
