import type { ChannelFailure, ReportedStatus } from '../../channel-connector.ts'
import { failureOf, readGraphError, refusedHere } from './graph-failures.ts'
import { type ItemReader, required } from './inbound-item.ts'
import { readPerson } from './inbound-person.ts'
import { digitsOf, idOf, type JsonObject, listOf, objectOf, textOf, timeOf } from './json-reading.ts'

/** One item of `statuses`: how far a message of ours has come. */
const STATUSES: readonly string[] = ['sent', 'delivered', 'read', 'played', 'failed'] satisfies ReportedStatus[]

export const readStatus: ItemReader = (status, contacts) => {
  const reached = required(textOf(status.status), 'the status')
  if (status.recipient_type === 'group') return [{ kind: 'other', field: 'group_status' }]
  if (!STATUSES.includes(reached)) return [{ kind: 'other', field: `status ${reached}` }]
  return [
    {
      kind: 'status',
      providerId: required(idOf(status.id), 'the id of the message'),
      clientToken: idOf(status.biz_opaque_callback_data),
      status: reached as ReportedStatus,
      at: timeOf(status.timestamp),
      recipient: readPerson(recipientIds(status), contacts),
      failure: reached === 'failed' ? readFailure(status) : null,
      pricing: objectOf(status.pricing),
    },
  ]
}

/** The parent id goes by three names. */
const recipientIds = (status: JsonObject) => ({
  phone: digitsOf(status.recipient_id),
  userId: idOf(status.recipient_user_id),
  parentUserId:
    idOf(status.parent_recipient_user_id) ?? idOf(status.recipient_parent_user_id) ?? idOf(status.parent_user_id),
})

function readFailure(status: JsonObject): ChannelFailure {
  const error = readGraphError(listOf(status.errors)[0])
  return error === null
    ? refusedHere('refused', 'The network reported a failure without a reason.')
    : failureOf(error, null, null)
}
