/**
 * Contacts: the people on the other side, by what the network knows them by. Here are their rows, how people are found or
 * created (people.ts), whom a caller means by a phone or an id (references.ts), and their marketing opt-outs. That two
 * contacts are one person is found by identities/, which also merges their chats.
 */

export {
  type ContactRow,
  deleteIdentities,
  getContact,
  type HeldIdentity,
  type Identity,
  type IdentityKind,
  listContacts,
  listHeldIdentities,
  listHoldersOf,
  listIdentities,
  listPersons,
  lockContacts,
  lockNames,
  mergeContactRows,
} from './contacts.sql.ts'
export { OPTED_OUT, type ReportedOptOut, saveOptOut, saveOptOuts, stoppedSince } from './marketing-opt-outs.ts'
export {
  contactChanged,
  createContact,
  ensureContacts,
  findContactById,
  findHolder,
  giveName,
  groupOf,
  holdersOf,
  identitiesOf,
  isGroup,
  isNamed,
  linkIdentities,
  lockPeople,
  lockPersons,
  lookedFor,
  nameAfter,
  type Person,
  personOf,
  presentChatContact,
  refreshContact,
  syncName,
} from './people.ts'
export { findReference, findReferredContact, type HomeCountry, type Reference } from './references.ts'
