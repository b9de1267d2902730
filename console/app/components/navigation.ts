import { may, type Right, type Session } from '../api/session.ts'
import type { TextKey } from '../text/text.tsx'
import type { IconName } from '../ui/Icon.tsx'

/** The pages a person can go to, in the rail and by the palette alike, and the right that each needs. */
export type NavItem = {
  to: string
  text: TextKey
  icon: IconName
  right?: Right
  /** The right that suffices for a person who comes by a link, where the rail asks for more. */
  rightByLink?: Right
  /** What is counted beside its name. */
  counts?: 'waiting' | 'unread'
  /** On a phone behind "more". */
  isSecond?: boolean
}

const navGroups: { text: TextKey; items: NavItem[] }[] = [
  {
    text: 'nav.work',
    items: [
      { to: '/', text: 'nav.home', icon: 'home' },
      { to: '/chats', text: 'nav.chats', icon: 'chat', right: 'chats:read', counts: 'unread' },
      { to: '/orders', text: 'nav.orders', icon: 'order', right: 'orders:read' },
      { to: '/payment-links', text: 'nav.links', icon: 'link', right: 'orders:read', isSecond: true },
      { to: '/replies', text: 'nav.replies', icon: 'reply', right: 'chats:read', isSecond: true },
      { to: '/templates', text: 'nav.templates', icon: 'template', right: 'settings:read', isSecond: true },
      { to: '/books', text: 'nav.books', icon: 'books', right: 'orders:read', isSecond: true },
      { to: '/broadcasts', text: 'nav.broadcasts', icon: 'send', right: 'messages:send', isSecond: true },
      { to: '/products', text: 'nav.products', icon: 'product', right: 'products:read', isSecond: true },
      { to: '/customers', text: 'nav.customers', icon: 'people', right: 'chats:read', isSecond: true },
      {
        to: '/approvals',
        text: 'nav.approvals',
        icon: 'approval',
        right: 'approvals:decide',
        rightByLink: 'approvals:read',
        counts: 'waiting',
      },
    ],
  },
  {
    text: 'nav.developers',
    items: [
      { to: '/keys', text: 'nav.keys', icon: 'key', right: 'keys:manage' },
      { to: '/webhooks', text: 'nav.webhooks', icon: 'webhook', right: 'webhooks:read' },
      { to: '/deliveries', text: 'nav.deliveries', icon: 'delivery', right: 'webhooks:read' },
      { to: '/logs', text: 'nav.logs', icon: 'log', right: 'logs:read' },
      { to: '/events', text: 'nav.events', icon: 'event', right: 'events:read' },
      { to: '/explorer', text: 'nav.explorer', icon: 'code', right: 'logs:read' },
    ],
  },
  {
    text: 'nav.organization',
    items: [
      { to: '/people', text: 'nav.people', icon: 'people' },
      { to: '/agents', text: 'nav.agents', icon: 'agent', right: 'agents:manage' },
      { to: '/settings', text: 'nav.settings', icon: 'settings', right: 'settings:manage' },
      { to: '/audit', text: 'nav.audit', icon: 'audit', right: 'audit:read' },
    ],
  },
]

/** Those that the role of this person reaches; a group without any is not there. */
export const allowedGroups = (session: Session | undefined) =>
  navGroups
    .map(({ text, items }) => ({
      text,
      items: items.filter(({ right }) => right === undefined || may(session, right)),
    }))
    .filter(({ items }) => items.length > 0)

/** The page of one thing needs the right of its list. */
const isBelow = (address: string, to: string) => to !== '/' && address.startsWith(`${to}/`)

/** The page at this address, if the role of this person does not reach it. */
export function findRefused(session: Session, address: string): NavItem | null {
  const item = navGroups.flatMap(({ items }) => items).find(({ to }) => to === address || isBelow(address, to))
  const right = item?.rightByLink ?? item?.right
  return item === undefined || right === undefined || may(session, right) ? null : item
}
