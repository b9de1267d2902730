import { type ItemReader, required } from './inbound-item.ts'
import { readPerson } from './inbound-person.ts'
import { digitsOf, idOf, textOf, timeOf } from './json-reading.ts'

/**
 * One item of `calls`. Calls cannot be answered here; what counts is that a customer called, because that opens the
 * reply window as a message does. The beginning of a call tells it; its end, and calls of the business, tell nothing new.
 */
export const readCall: ItemReader = (call, contacts) => {
  const event = required(textOf(call.event), 'what happened to the call')
  if (event !== 'connect' || textOf(call.direction) !== 'USER_INITIATED') return [{ kind: 'other', field: 'calls' }]
  const ids = {
    phone: digitsOf(call.from),
    userId: idOf(call.from_user_id),
    parentUserId: idOf(call.from_parent_user_id),
  }
  const from = readPerson(ids, contacts)
  if (from.phone === null && from.userId === null) throw new Error('the caller is missing')
  return [{ kind: 'call', from, at: timeOf(call.timestamp) }]
}
