import { describe, expect, test } from 'bun:test'
import type { Message } from '../api/messages.ts'
import { english } from '../text/en.ts'
import type { Say } from '../text/text.tsx'
import { isAside, wordsOf } from './Words.tsx'

const say: Say = (key, values = {}) => english[key].replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ''))
const aMessage = (fields: Partial<Message>) => ({ type: 'text', body: null, ...fields }) as Message

describe('a message in words', () => {
  test.each([
    ['what was written', { body: 'Halo' }, 'Halo'],
    ['the caption of a file', { type: 'image', body: 'Bukti transfer' }, 'Bukti transfer'],
    ['the kind of a file without a caption', { type: 'document' }, 'Document'],
    ['the name of a template', { type: 'template', template: { name: 'order_ready' } }, 'Template order_ready'],
    ['the emoji of a reaction', { type: 'reaction', reaction: { message_id: null, emoji: '👍' } }, 'Reacted with 👍'],
    [
      'a reaction that was taken back',
      { type: 'reaction', reaction: { message_id: null, emoji: '' } },
      'Reacted with –',
    ],
    ['what the network said', { type: 'system', system: { type: 'x', body: 'Number changed' } }, 'Number changed'],
    [
      'what happened, where the network has no words',
      { type: 'system', system: { type: 'user_changed_number' } },
      'user changed number',
    ],
    [
      'that it is not known here',
      { type: 'unsupported', unsupported: { type: 'poll', detail: 'Not supported.' } },
      'Unsupported message type (poll). Not supported.',
    ],
    [
      'why it is not here, with the code of the network',
      { type: 'unsupported', unsupported: { type: 'poll', detail: 'Not supported.', provider_code: '131051' } },
      'Unsupported message type (poll). Not supported. (131051)',
    ],
  ])('is %s', (_, fields, words) => {
    expect(wordsOf(aMessage(fields as Partial<Message>), say)).toBe(words)
  })
})

test('only notices of the network and reactions are shown in the middle', () => {
  const types: Message['type'][] = ['text', 'image', 'order', 'system', 'reaction', 'unsupported']
  expect(types.filter((type) => isAside(aMessage({ type })))).toEqual(['system', 'reaction', 'unsupported'])
})
