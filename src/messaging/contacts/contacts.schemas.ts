import { z } from 'zod'
import { idSchema, timeSchema, visibleText } from '../../platform/http/schemas.ts'

/**
 * The published schema bounds text from the network, but no reply is refused for it: a long name must not fail a response.
 */
const reportedText = (maxLength: number) => z.string().meta({ pattern: '^[^\\u0000]*$', maxLength })

const phoneReply = z.string().meta({ description: 'E.164, with the plus.', pattern: '^\\+[0-9]{5,20}$', maxLength: 21 })

const ContactIdentity = z
  .object({
    type: z.enum(['phone', 'user_id', 'username', 'group_id']),
    value: reportedText(300).meta({
      description:
        'A phone number in E.164, the business-scoped user id, the username without @, or the id of a group.',
    }),
  })
  .meta({ id: 'ContactIdentity', description: 'One identity of a customer on the network.' })

const contactShape = {
  id: idSchema('con'),
  name: reportedText(1000).nullable().meta({
    description:
      'The name that the team gave, otherwise the one that was reported last: by the customer, or by the address book of the business. Null until then.',
  }),
  phone: phoneReply.nullable().meta({ description: 'Null if the network reports none.' }),
  identities: z.array(ContactIdentity).meta({ maxItems: 100 }),
}

export const ChatContact = z
  .object(contactShape)
  .meta({ id: 'ChatContact', description: 'The customer on the other side of a chat.' })

const MarketingOptOut = z
  .object({ number_id: idSchema('num'), at: timeSchema })
  .meta({ id: 'MarketingOptOut', description: 'A business number whose marketing messages the customer has stopped.' })

export const Contact = z
  .object({
    object: z.literal('contact'),
    ...contactShape,
    marketing_opt_outs: z.array(MarketingOptOut).meta({
      maxItems: 1000,
      description: 'The business numbers whose marketing messages the customer has stopped.',
    }),
    created_at: timeSchema,
    updated_at: timeSchema,
  })
  .meta({ id: 'Contact', description: 'A customer with all their identities on the network.' })

export const ContactChange = z
  .strictObject({
    name: visibleText(500)
      .nullable()
      .optional()
      .meta({ description: 'The name that the team uses. Null returns to the name that the customer reports next.' }),
  })
  .meta({ id: 'ContactChange', description: 'The fields to change.' })

export const chatContactExample = {
  id: 'con_01k9x3m5q8e0t9v7a2b4c6d8fg',
  name: 'Sari Dewi',
  phone: '+6281234567890',
  identities: [{ type: 'phone' as const, value: '+6281234567890' }],
}

export const contactExample = {
  object: 'contact' as const,
  ...chatContactExample,
  marketing_opt_outs: [{ number_id: 'num_01k9x3m5q8e0t9v7a2b4c6d8fg', at: '2026-11-14T09:30:00.000Z' }],
  created_at: '2026-11-01T02:00:00.000Z',
  updated_at: '2026-11-14T09:30:00.000Z',
}
