import { expect, test } from 'bun:test'
import { useMessaging } from '../../test/support/messaging.ts'
import { type Id, newId, type OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import {
  insertChats,
  listUnplaced,
  lockChat,
  lockChatsAhead,
  lockChatsOf,
  lockMessagesOfPeople,
} from './chats/chat-locks.sql.ts'
import {
  findChat,
  listChatsById,
  listChatsOfContact,
  noteOutbound,
  setUnread,
  updateOpenOrder,
} from './chats/chats.sql.ts'
import { type Identity, listHeldIdentities, listHoldersOf } from './contacts/contacts.sql.ts'
import {
  countUnread,
  findByProviderId,
  insertSent,
  listByProviderIds,
  lockMessages,
  markMessagesRead,
  markUnknown,
  moveMessages,
  noteSettled,
} from './messages/message-states.sql.ts'
import { findMessage, searchMessages } from './messages/messages.sql.ts'
import { insertInbound } from './receiving/inbound-messages.sql.ts'
import { listSendable } from './sending/sending.sql.ts'

/**
 * An organization that came after the tables were last analyzed. PostgreSQL thinks that it has a row at most, and a tenth of
 * the whole table has to change before it looks again.
 */
const bench = useMessaging()

const PEOPLE = 2_000
const idOf = <Prefix extends 'con' | 'chat' | 'msg'>(prefix: Prefix, nth: number) =>
  `${prefix}_${String(nth).padStart(26, '0')}` as Id<Prefix>

/** Contacts with a phone, a chat and a message each. */
async function aCrowd(orgId: OrgId, numberId: string, size: number): Promise<void> {
  const id = (prefix: string) => bench.database.part`${prefix} || lpad(nth::text, 26, '0')`
  const crowd = bench.database.part`generate_series(1, ${size}::int) as nth`
  await bench.database.run`
    insert into contacts (org_id, id, words, created_at, updated_at)
    select ${orgId}, ${id('con_')}, '', now(), now() from ${crowd}`
  await bench.database.run`
    insert into contact_identities (org_id, kind, value, contact_id, created_at)
    select ${orgId}, 'phone', nth::text, ${id('con_')}, now() from ${crowd}`
  await bench.database.run`
    insert into chats (org_id, id, number_id, contact_id, last_message_id, last_activity_at, created_at)
    select ${orgId}, ${id('chat_')}, ${numberId}, ${id('con_')}, ${id('msg_')}, now(), now() from ${crowd}`
  await bench.database.run`
    insert into messages (org_id, id, chat_id, number_id, direction, type, sender_type, happened_at, created_at)
    select ${orgId}, ${id('msg_')}, ${id('chat_')}, ${numberId}, 'outbound', 'text', 'key', now(), now()
    from ${crowd}`
  await bench.database.run`
    insert into message_states (org_id, message_id, number_id, provider_id, status, status_history, unread_chat_id)
    select ${orgId}, ${id('msg_')}, ${numberId}, 'wamid.' || nth, 'sent', '[]', ${id('chat_')}
    from ${crowd} where nth > 1`
}

async function aNewOrganization() {
  const old = await bench.aShop()
  await aCrowd(old.orgId, old.numberId, 10 * PEOPLE)
  await bench.database.script(
    'analyze contacts; analyze contact_identities; analyze chats; analyze messages; analyze message_states',
  )
  const shop = await bench.aShop()
  await aCrowd(shop.orgId, shop.numberId, PEOPLE)
  return shop
}

/** Entries that this transaction has read in the indexes of these tables. */
const entriesRead = async (tx: Queries) =>
  (
    await tx.one<{ count: number }>`
      select sum(pg_stat_get_xact_tuples_returned(indexrelid))::int as count
      from pg_index
      where indrelid = any(array['contacts', 'contact_identities', 'chats', 'messages', 'message_states']::regclass[])`
  ).count

const stepsOn = (orgId: OrgId, numberId: Id<'num'>) => {
  const places = [{ contactId: idOf('con', 7), numberId }]
  const bump = { chatId: idOf('chat', 7), messageId: idOf('msg', 7), at: new Date(), activityAt: new Date() }
  const phone: Identity = { kind: 'phone', value: '8' }
  return {
    'knowing people': (tx: Tx) => listHeldIdentities(tx, orgId, [phone]),
    'finding people': (tx: Tx) => listHoldersOf(tx, orgId, [{ ...phone, position: 0 }]),
    'reading a chat': (tx: Tx) => findChat(tx, orgId, idOf('chat', 3)),
    'reading the chats of a person': (tx: Tx) => listChatsOfContact(tx, orgId, idOf('con', 3)),
    'reading some chats': (tx: Tx) => listChatsById(tx, orgId, [idOf('chat', 3), idOf('chat', 4)]),
    'locking a chat': (tx: Tx) => lockChat(tx, orgId, idOf('chat', 3)),
    'noting that a chat was read': (tx: Tx) => setUnread(tx, orgId, { id: idOf('chat', 3), unread: 0 }),
    'noting an order': (tx: Tx) => updateOpenOrder(tx, orgId, { id: idOf('chat', 3), openOrder: null }),
    'noting what left': (tx: Tx) =>
      noteOutbound(tx, orgId, { chatId: idOf('chat', 3), id: idOf('msg', 3), at: new Date() }),
    'searching a chat': (tx: Tx) =>
      searchMessages(tx, orgId, { query: null, chatId: idOf('chat', 3), before: null, limit: 10 }),
    'locking messages of people': (tx: Tx) => lockMessagesOfPeople(tx, orgId, [idOf('con', 6)]),
    'reading a message': (tx: Tx) => findMessage(tx, orgId, idOf('msg', 4)),
    'reading a message to send': (tx: Tx) => listSendable(tx, orgId, [idOf('msg', 4)]),
    'finding messages by the ids of the network': (tx: Tx) =>
      listByProviderIds(tx, orgId, [{ numberId, providerId: 'wamid.4' }]),
    'finding a message by the id of the network': (tx: Tx) =>
      findByProviderId(tx, orgId, { numberId, providerId: 'wamid.4' }),
    'counting what is unread': (tx: Tx) => countUnread(tx, orgId, idOf('chat', 4)),
    'marking a chat as read': (tx: Tx) => markMessagesRead(tx, orgId, { chatId: idOf('chat', 4), upTo: null }),
    'noting what was sent': (tx: Tx) =>
      insertSent(tx, orgId, [{ id: idOf('msg', 1), providerId: 'wamid.1', at: new Date() }]),
    'noting what was refused': (tx: Tx) => noteSettled(tx, orgId, [{ id: idOf('msg', 5), lease: 1 }]),
    'noting what is unknown': (tx: Tx) => markUnknown(tx, orgId, { id: idOf('msg', 5), since: new Date() }),
    'locking chats ahead': (tx: Tx) =>
      lockChatsAhead(tx, orgId, { messageIds: [idOf('msg', 5)], places, contactIds: [idOf('con', 6)] }),
    'locking places': (tx: Tx) => lockChatsOf(tx, orgId, places),
    'finding who has no chat': (tx: Tx) => listUnplaced(tx, orgId, places),
    'creating chats': (tx: Tx) =>
      insertChats(
        tx,
        orgId,
        places.map((place) => ({ ...place, id: newId('chat') })),
        new Date(),
      ),
    'noting inbound messages': (tx: Tx) =>
      insertInbound(tx, orgId, {
        rows: [],
        bumps: [{ ...bump, unread: 1, reportedAt: new Date(), isReopened: true, isPast: false }],
      }),
    'moving messages': async (tx: Tx) => moveMessages(tx, orgId, await lockMessages(tx, orgId, [idOf('msg', 9)])),
  }
}

test('no statement reads all rows of an organization when the statistics do not know it', async () => {
  const { orgId, numberId } = await aNewOrganization()
  const read: Record<string, number> = {}
  await bench.database.transaction(async (tx) => {
    for (const [step, run] of Object.entries(stepsOn(orgId, numberId))) {
      const before = await entriesRead(tx)
      await run(tx)
      read[step] = (await entriesRead(tx)) - before
    }
  })
  expect(Object.entries(read).filter(([, entries]) => entries > 50)).toEqual([])
})
