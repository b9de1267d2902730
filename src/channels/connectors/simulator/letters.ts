import type { Clock } from '../../../kernel/clock.ts'
import { isId } from '../../../kernel/ids.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { ChannelNumber } from '../../channel-connector.ts'
import type { MessageContent } from '../../content/message-content.ts'
import type { GraphItem } from './graph-hook.ts'
import { type HookSender, post } from './hook-sender.ts'
import { contactItem, type InboundFrame, messageItem } from './inbound-items.ts'
import { type Customer, identityOf, writerOf } from './people.ts'
import { inboundIdOf, outboundIdOf, readOutboundId, seedOf } from './seeded.ts'
import { simulationImpossible } from './simulator.errors.ts'
import { findReceived, noteWriter, type PersonRow } from './simulator.sql.ts'

/** What customers write, on its way into the server: the person is noted, and the network posts a hook about it. */
export type LetterOptions = { database: Database; clock: Clock; sender: () => HookSender }

export type Letter = {
  number: ChannelNumber
  customer: Customer
  /** Each becomes a message of its own. */
  payloads: readonly GraphItem[]
  frame?: Omit<InboundFrame, 'providerId' | 'atMs'> & {
    /** System messages come without the contact. */
    isContactLeftOut?: boolean
    /** Where it must be the same when it is written again. */
    providerId?: string
  }
}

/** What came of it: the network's ids of what was written, and who it was. */
export type Written = { provider_ids: string[]; person: PersonRow }

/** Meta puts up to a thousand updates into one hook. */
const ITEMS_PER_HOOK_MAX = 100

export async function writeLetter(
  options: LetterOptions,
  { number, customer, payloads, frame = {} }: Letter,
): Promise<Written> {
  const { isContactLeftOut, providerId, ...rest } = frame
  const identity = identityOf(customer)
  const now = new Date(options.clock.now())
  const writer = writerOf(number, identity, { ...customer, messages: payloads.length, now })
  const person = await noteWriter(options.database, number.orgId, writer)
  const first = person.messages_written - payloads.length + 1
  const items = payloads.map((payload, index) => {
    const id = providerId ?? inboundIdOf(seedOf(number), number.phoneNumberId, identity.id, String(first + index))
    return { id, item: messageItem(person, { ...rest, providerId: id, atMs: now.getTime() }, payload) }
  })
  const contacts = isContactLeftOut ? {} : { contacts: [contactItem(person)] }
  for (let start = 0; start < items.length; start += ITEMS_PER_HOOK_MAX) {
    const messages = items.slice(start, start + ITEMS_PER_HOOK_MAX).map(({ item }) => item)
    await post(options.sender(), number, { ...contacts, messages })
  }
  return { provider_ids: items.map(({ id }) => id), person }
}

export type ReceivedMessage = { providerId: string; content: MessageContent | null }

/** A message as the person sees it: they can only point to what they were sent, or to what they wrote themselves. */
export async function getReceived(
  { database }: LetterOptions,
  number: ChannelNumber,
  { customer, messageId }: { customer: Customer; messageId: string },
): Promise<ReceivedMessage> {
  const outbound = isId('msg', messageId) ? { messageId } : readOutboundId(messageId)
  if (outbound === null) {
    if (messageId.startsWith('wamid.')) return { providerId: messageId, content: null }
    throw simulationImpossible({ says: `"${messageId}" is not the id of a message; one begins with msg_ or wamid.` })
  }
  const row = await findReceived(database, number.orgId, {
    numberId: number.id,
    recipients: identityOf(customer).addresses,
    messageId: outbound.messageId,
  })
  if (row === null)
    throw simulationImpossible({ says: `This customer was never sent the message ${outbound.messageId}.` })
  return {
    providerId: outboundIdOf(seedOf(number), row.message_id, row.copies),
    content: row.content as MessageContent | null,
  }
}
