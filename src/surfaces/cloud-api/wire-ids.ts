import { type Id, isId } from '../../kernel/ids.ts'

/**
 * The ids that the dialect gives out, so that clients recognise them. They hold our own ids and nothing else: one can be
 * told from the other without a table.
 *
 * Messages: `wamid.` and base 64. Meta's own hold the phone number of the customer, and have another length inside.
 * Files: digits only, which is what some clients take for a media id and nothing else.
 */
const PREFIX = 'wamid.'
/** The two bytes that Meta's begin with as well, and the number of bytes that follow. */
const HEAD = Buffer.from([0x1c, 0x18])
const MESSAGE_ID_BYTES = 30

export const wireIdOf = (messageId: Id<'msg'>): string =>
  PREFIX + Buffer.concat([HEAD, Buffer.from([messageId.length]), Buffer.from(messageId, 'latin1')]).toString('base64')

/** Our message behind an id that was given by us: as `wamid.…`, or as it is. Null when it was given by someone else. */
export function messageIdOf(wireId: string): Id<'msg'> | null {
  if (isId('msg', wireId)) return wireId
  if (!wireId.startsWith(PREFIX)) return null
  const bytes = Buffer.from(wireId.slice(PREFIX.length), 'base64')
  if (bytes.length !== MESSAGE_ID_BYTES + 3 || !bytes.subarray(0, 2).equals(HEAD) || bytes[2] !== MESSAGE_ID_BYTES)
    return null
  const messageId = bytes.toString('latin1', 3)
  return isId('msg', messageId) && wireIdOf(messageId) === wireId ? messageId : null
}

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
export function mediaIdOf(wireId: string): Id<'med'> | null {
  if (isId('med', wireId)) return wireId
  if (!MEDIA_DIGITS.test(wireId)) return null
  let rest = BigInt(wireId)
  let text = ''
  for (let index = 0; index < ID_CHARACTERS; index++) {
    text = ALPHABET[Number(rest % 32n)] + text
    rest /= 32n
  }
  const mediaId = `med_${text}`
  return rest === 0n && isId('med', mediaId) ? mediaId : null
}
