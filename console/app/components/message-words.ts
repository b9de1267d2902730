import type { Message } from '../api/messages.ts'
import type { Say } from '../text/text.tsx'

/** Lines that no one wrote, and reactions to something that is not on the screen. */
export const isAside = ({ type }: Message) => type === 'system' || type === 'reaction' || type === 'unsupported'

/** A message in words: for quotes, for lines in the middle, for everything without a look of its own. */
export function wordsOf(message: Message, say: Say): string {
  const { unsupported, reaction, template } = message
  if (message.type === 'unsupported')
    return say('message.unsupported', { type: unsupported?.type ?? '', detail: detailOf(unsupported) })
  if (message.type === 'system') return message.body ?? systemWords(message)
  if (message.type === 'reaction') return say('message.reacted', { emoji: reaction?.emoji || '–' })
  if (message.type === 'template') return say('message.template', { name: template?.name ?? '' })
  return message.body ?? say(`message.kind.${message.type}`)
}

/** With the code of the network, which its support asks for. */
const detailOf = (unsupported: Message['unsupported']) =>
  [unsupported?.detail, unsupported?.provider_code && `(${unsupported.provider_code})`].filter(Boolean).join(' ')

const systemWords = ({ system }: Message) =>
  typeof system?.body === 'string' ? system.body : (system?.type ?? '').replaceAll('_', ' ')
