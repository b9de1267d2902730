import { type Id, isId } from '../../kernel/ids.ts'

/**
 * A file has two ids that say the same: `med_…`, and digits only, which is what some clients of Meta's API take for a media
 * id and nothing else. The two are distinguished without a table, and callers may use either.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const ID_CHARACTERS = 26
/** More than the ids of numbers and accounts have. */
const MEDIA_DIGITS = /^[1-9]\d{29,38}$/

export function wireMediaIdOf(mediaId: string): string {
  let value = 0n
  for (const character of mediaId.slice('med_'.length)) value = value * 32n + BigInt(ALPHABET.indexOf(character))
  return value.toString()
}

/** Our file behind an id that was given by us, in either form. Null when it is neither. */
export function mediaIdOf(given: string): Id<'med'> | null {
  if (isId('med', given)) return given
  if (!MEDIA_DIGITS.test(given)) return null
  let rest = BigInt(given)
  let text = ''
  for (let index = 0; index < ID_CHARACTERS; index++) {
    text = ALPHABET[Number(rest % 32n)] + text
    rest /= 32n
  }
  const mediaId = `med_${text}`
  return rest === 0n && isId('med', mediaId) ? mediaId : null
}
