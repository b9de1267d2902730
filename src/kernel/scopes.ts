/** What a key may do. Write does not imply read; a new scope never joins an old key by itself. */
const scopeDescriptions = {
  'chats:read': 'Read chats, contacts and messages',
  'chats:write': 'Change labels, assignee and status of chats, and mark them read',
  'messages:send': 'Send messages to anyone, and cancel scheduled ones',
  'orders:read': 'Read orders and their payments',
  'orders:write': 'Create orders, move them, take payments and give refunds',
  'events:read': 'Read the feed of everything that happened',
  'events:erase': 'Erase for good what events say, of one or of everything about somebody',
  'webhooks:read': 'Read webhook endpoints, deliveries and attempts',
  'webhooks:write': 'Create and change webhook endpoints, resend and recover deliveries',
} as const

export type Scope = keyof typeof scopeDescriptions

export const allScopes = Object.keys(scopeDescriptions) as Scope[]

export const isScope = (value: string): value is Scope => Object.hasOwn(scopeDescriptions, value)
