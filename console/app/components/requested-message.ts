import type { Approval } from '../api/approvals.ts'
import type { ChannelTemplate } from '../api/chats.ts'
import type { Message } from '../api/messages.ts'
import { membersOf, partsOf } from './template-parts.ts'

/**
 * The message that an agent wants to send or to call off, as the customer would see it, and whether that shows all of it. What
 * it leaves out has to be read in the request itself.
 */
type Fields = Record<string, unknown>
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(membersOf) : [])
const isOnlyOf = (value: unknown, names: readonly string[]) =>
  Object.keys(membersOf(value)).every((name) => names.includes(name))

/** Null where no message is sent or called off, or where that one is not known. */
export function requestedMessage({ operation, request }: Approval, calledOff: Message | null): Message | null {
  if (operation === 'cancelMessage') return calledOff
  if (operation !== 'sendMessage' || request.body === null) return null
  return { ...UNSENT, ...(request.body as Partial<Message>) }
}

const UNSENT: Message = {
  object: 'message',
  id: '',
  chat_id: '',
  number_id: null,
  direction: 'outbound',
  type: 'text',
  body: null,
  media: null,
  template: null,
  interactive: null,
  location: null,
  contacts: null,
  reaction: null,
  order: null,
  system: null,
  unsupported: null,
  reply_to: null,
  referral: null,
  forwarded: false,
  frequently_forwarded: false,
  referred_product: null,
  group: null,
  provider_id: null,
  client_reference: null,
  order_id: null,
  sender: { type: 'agent', id: null },
  status: 'queued',
  error: null,
  warnings: [],
  status_history: [],
  pricing: null,
  conversation: null,
  edited_at: null,
  deleted_at: null,
  send_at: null,
  metadata: {},
  created_at: '',
}

const LOOKED_AT: readonly Message['type'][] = [
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contacts',
  'interactive',
]

/** More than words, and known well enough to be drawn. A template is, once its own words are known. */
export const hasLook = ({ type }: Message, definition: ChannelTemplate | null): boolean =>
  type === 'template' ? definition !== null : LOOKED_AT.includes(type)

/** Whether nothing that the customer would see is left out of the picture and the lines around it. */
export function isShownInFull(message: Message, definition: ChannelTemplate | null): boolean {
  switch (message.type) {
    case 'interactive':
      return isPlainChoice(membersOf(message.interactive))
    case 'contacts':
      return (message.contacts ?? []).every(isPlainCard)
    case 'template':
      return isPlainTemplate(membersOf(message.template), definition)
    default:
      return message.type === 'text' || message.type === 'reaction' || LOOKED_AT.includes(message.type)
  }
}

/** Lists and products have headings and rows that the picture has no room for. */
const isPlainChoice = ({ type, header }: Fields) =>
  (type === 'button' || type === 'cta_url') && (header === undefined || membersOf(header).type === 'text')

const isPlainCard = ({ name, org, phones, emails, ...more }: Fields) =>
  Object.keys(more).length === 0 &&
  isOnlyOf(name, ['formatted_name', 'first_name', 'last_name']) &&
  isOnlyOf(org, ['company']) &&
  // A phone with an account of its own leads to that account, whatever number it shows.
  [...listOf(phones), ...listOf(emails)].every((one) => isOnlyOf(one, ['phone', 'email', 'type']))

const PLAIN_BUTTONS = ['quick_reply', 'url', 'copy_code', 'otp', 'phone_number']

function isPlainTemplate({ components }: Fields, definition: ChannelTemplate | null): boolean {
  if (definition === null)
    return listOf(components).every(({ parameters }) =>
      listOf(parameters).every(({ text }) => typeof text === 'string'),
    )
  const { beyond, buttons } = partsOf(definition)
  return beyond === null && buttons.every(({ type }) => PLAIN_BUTTONS.includes(type))
}
