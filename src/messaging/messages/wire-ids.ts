import { type Id, isId } from '../../kernel/ids.ts'
import { publishedId, storedId } from '../../kernel/seeded-ids.ts'

/**
 * The ids of messages in Meta's dialect, so that clients recognise them: `wamid.` and base 64. They contain our own ids
 * and nothing else, so one is derived from the other without a table. Meta's ids contain the phone number of the customer
 * and have another length. Those of files are in channels/content/content-media.ts.
 */
const PREFIX = 'wamid.'
/** The two bytes that Meta's begin with as well, and the number of bytes that follow. */
const HEAD = Buffer.from([0x1c, 0x18])
const MESSAGE_ID_BYTES = 30

export const wireIdOf = (messageId: Id<'msg'>): string => encode(publishedId(messageId))

const encode = (messageId: Id<'msg'>): string =>
  PREFIX + Buffer.concat([HEAD, Buffer.from([messageId.length]), Buffer.from(messageId, 'latin1')]).toString('base64')

/** Our message behind an id that was given by us: as `wamid.…`, or as it is. Null when it was given by someone else. */
export function messageIdOf(wireId: string): Id<'msg'> | null {
  if (isId('msg', wireId)) return wireId
  if (!wireId.startsWith(PREFIX)) return null
  const bytes = Buffer.from(wireId.slice(PREFIX.length), 'base64')
  if (bytes.length !== MESSAGE_ID_BYTES + 3 || !bytes.subarray(0, 2).equals(HEAD) || bytes[2] !== MESSAGE_ID_BYTES)
    return null
  const messageId = bytes.toString('latin1', 3)
  return isId('msg', messageId) && encode(messageId) === wireId ? storedId(messageId) : null
}
