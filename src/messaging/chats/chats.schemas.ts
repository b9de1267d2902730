import { z } from 'zod'
import { messageTypeSchema } from '../../channels/content/message-content-reply.schemas.ts'
import { idSchema, listOf, textSchema, timeSchema } from '../../platform/http/schemas.ts'
import { ChatContact, chatContactExample } from '../contacts/contacts.schemas.ts'
import { Message, messageExample } from '../messages/messages.schemas.ts'
import { messageStatuses } from '../messages/messages.states.ts'

const reportedText = (maxLength: number) => z.string().meta({ pattern: '^[^\\u0000]*$', maxLength })

const LABEL = /^[^\s,](?:[^,\t\r\n]*[^\s,])?$/
export const labelSchema = textSchema(50, 1)
  .regex(LABEL, 'A label has no comma and no space at its ends.')
  .meta({ pattern: '^[^\\s,\\u0000](?:[^,\\t\\r\\n\\u0000]*[^\\s,\\u0000])?$' })
const LABELS_MAX = 50
export const assigneeSchema = textSchema(100, 1)

const OpenOrder = z
  .object({
    id: idSchema('ord'),
    number: reportedText(100),
    total: z.int().nullable().meta({ format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    payment_status: reportedText(50),
    expires_at: timeSchema.nullable(),
  })
  .meta({
    id: 'ChatOpenOrder',
    description: 'The newest order of this customer that is a draft or awaiting payment.',
  })

export type OpenOrderView = z.input<typeof OpenOrder>

const chatShape = {
  object: z.literal('chat'),
  id: idSchema('chat'),
  contact: ChatContact,
  number: z
    .object({ id: idSchema('num'), phone_number_id: reportedText(64), display_phone: reportedText(50) })
    .meta({ id: 'ChatNumber', description: 'The business number of a chat.' }),
  status: z.enum(['open', 'closed']).meta({ description: 'A message of the customer reopens a closed chat.' }),
  unread_count: z.int().min(0).max(2_147_483_647).meta({ description: 'Exact count.' }),
  labels: z.array(reportedText(50)).meta({ maxItems: LABELS_MAX }),
  assignee: reportedText(100).nullable(),
  last_message: z
    .object({
      id: idSchema('msg'),
      direction: z.enum(['inbound', 'outbound']),
      type: messageTypeSchema,
      preview: reportedText(200),
      status: z.enum(messageStatuses),
      at: timeSchema,
    })
    .meta({ id: 'ChatLastMessage' })
    .nullable()
    .meta({ description: 'Null if all messages are scheduled for later.' }),
  reply_window: z
    .object({
      state: z.enum(['open', 'closed', 'unlimited']),
      closes_at: timeSchema.nullable(),
    })
    .meta({
      id: 'ChatReplyWindow',
      description:
        'Until when you can send free-form messages; templates can always be sent. `unlimited` on channels without this rule.',
    }),
  open_order: OpenOrder.nullable(),
  last_activity_at: timeSchema,
  created_at: timeSchema,
}

export const Chat = z
  .object(chatShape)
  .meta({ id: 'Chat', description: 'The chat of one customer with one business number.' })
export type ChatView = z.input<typeof Chat>

export const ChatWithMessages = z
  .object({
    ...chatShape,
    messages: listOf(Message).meta({
      description: 'Newest first; pass `next_cursor` as `cursor` to go back.',
    }),
  })
  .meta({ id: 'ChatWithMessages', description: 'A chat with a page of its messages.' })

export const ChatChange = z
  .strictObject({
    labels: z
      .array(labelSchema)
      .max(LABELS_MAX)
      .refine((labels) => new Set(labels).size === labels.length, {
        message: 'Each label may appear once.',
        params: { code: 'duplicate' },
      })
      .optional()
      .meta({ description: 'Replaces all labels of the chat.', uniqueItems: true }),
    assignee: assigneeSchema
      .nullable()
      .optional()
      .meta({ description: 'The person responsible for the chat; null for none.' }),
    status: z.enum(['open', 'closed']).optional(),
  })
  .meta({ id: 'ChatChange', description: 'The fields to change. Others keep their value.' })

export type ChatChangeInput = z.output<typeof ChatChange>

export const chatExample: ChatView = {
  object: 'chat',
  id: 'chat_01k9x3m5q8e0t9v7a2b4c6d8fg',
  contact: chatContactExample,
  number: {
    id: 'num_01k9x3m5q8e0t9v7a2b4c6d8fg',
    phone_number_id: '106540352242922',
    display_phone: '+62 21 5000 1000',
  },
  status: 'open',
  unread_count: 3,
  labels: ['vip'],
  assignee: null,
  last_message: {
    id: messageExample.id,
    direction: 'inbound',
    type: 'text',
    preview: 'Apakah masih ada stok?',
    status: 'received',
    at: '2026-11-14T09:30:00.000Z',
  },
  reply_window: { state: 'open', closes_at: '2026-11-15T09:30:00.000Z' },
  open_order: null,
  last_activity_at: '2026-11-14T09:30:00.000Z',
  created_at: '2026-11-01T02:00:00.000Z',
}
