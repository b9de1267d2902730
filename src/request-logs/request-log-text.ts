import { maskBody, maskPath, maskQuery, maskText } from './masking.ts'

/** Prepares text that a caller wrote for storage: masks it, then cuts it, and replaces characters that PostgreSQL refuses. */
const BODY_BYTES_MAX = 8192
/**
 * Only this much of a body is looked at: masking may shorten it, and beyond the cut nothing is stored. The patterns match
 * unfinished secrets too, so it does not matter where this window ends.
 */
const BODY_WINDOW_CHARACTERS = 12_288
const PATH_CHARACTERS_MAX = 2048
const QUERY_CHARACTERS_MAX = 4096
const TEXT_CHARACTERS_MAX = 2048

/** NUL and halves of characters become the replacement character. */
const sound = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd')

export const clean = (text: string) => sound(maskText(text).slice(0, TEXT_CHARACTERS_MAX))
export const cleanPath = (path: string) => sound(maskPath(path).slice(0, PATH_CHARACTERS_MAX))
export const cleanQuery = (query: string) => sound(maskQuery(query).slice(0, QUERY_CHARACTERS_MAX))

export function cleanBody(body: string): { text: string; isCut: boolean } {
  const isBeyondWindow = body.length > BODY_WINDOW_CHARACTERS
  const masked = sound(maskBody(isBeyondWindow ? body.slice(0, BODY_WINDOW_CHARACTERS) : body))
  const text = cutToBytes(masked, BODY_BYTES_MAX)
  return { text, isCut: text.length < masked.length || isBeyondWindow }
}

/** Never in the middle of a character. */
function cutToBytes(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax) return text
  const bytes = Buffer.from(text)
  let end = bytesMax
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1
  return bytes.toString('utf8', 0, end)
}
