import type { z } from 'zod'
import { contactUpdated } from '../messaging.events.ts'
import type { ChatContact } from './contacts.schemas.ts'
import type { ContactRow } from './contacts.sql.ts'

export type ShownContact = Pick<ContactRow, 'id' | 'name' | 'phone' | 'identities'>

export const presentChatContact = (contact: ShownContact): z.input<typeof ChatContact> => ({
  id: contact.id,
  name: contact.name,
  phone: contact.phone === null ? null : `+${contact.phone}`,
  identities: contact.identities,
})

export const presentContact = (contact: ContactRow) => ({
  object: 'contact' as const,
  ...presentChatContact(contact),
  marketing_opt_outs: contact.marketing_wishes.flatMap(({ number_id, at, is_stopped }) =>
    is_stopped ? [{ number_id, at }] : [],
  ),
  created_at: contact.created_at.toISOString(),
  updated_at: contact.updated_at.toISOString(),
})

export const contactChanged = (contact: ContactRow) => ({
  type: contactUpdated,
  subject: contact.id,
  data: presentContact(contact),
})
