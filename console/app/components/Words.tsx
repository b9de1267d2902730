import { Anchor } from '@mantine/core'
import { Fragment } from 'react'
import type { Message } from '../api/messages.ts'
import type { Say } from '../text/text.tsx'

/** A text as the phone shows it: addresses can be followed, and *bold*, _italic_ and ~struck~ words look so. */
const LINK = /(https?:\/\/\S+)/
const MARKED =
  /(?<=^|[\s(])(\*[^\s*](?:[^*\n]*[^\s*])?\*|_[^\s_](?:[^_\n]*[^\s_])?_|~[^\s~](?:[^~\n]*[^\s~])?~)(?=$|[\s.,!?:;)])/
const tags = { '*': 'strong', _: 'em', '~': 's' } as const

export const Words = ({ text }: { text: string }) => (
  <div className="bubble-text" dir="auto">
    {partsOf(text, LINK).map(([key, part, isLink]) =>
      isLink ? (
        <Anchor key={key} href={part} target="_blank" rel="noopener noreferrer" inherit underline="always">
          {part}
        </Anchor>
      ) : (
        <Fragment key={key}>
          {partsOf(part, MARKED).map(([inner, words, isMarked]) => emphasized(inner, words, isMarked))}
        </Fragment>
      ),
    )}
  </div>
)

function emphasized(key: string, words: string, isMarked: boolean) {
  if (!isMarked) return words
  const Tag = tags[words[0] as keyof typeof tags]
  return <Tag key={key}>{words.slice(1, -1)}</Tag>
}

/** The parts between matches and the matches, each with its place in the text. */
function partsOf(text: string, pattern: RegExp): [key: string, part: string, isMatch: boolean][] {
  return text.split(pattern).map((part, index) => [String(index), part, index % 2 === 1])
}

/** For one line without any look. */
export const withoutMarks = (text: string) => text.replaceAll(new RegExp(MARKED, 'g'), (words) => words.slice(1, -1))

/** Lines that no one wrote, and reactions to something that is not on the screen. */
export const isAside = ({ type }: Message) => type === 'system' || type === 'reaction' || type === 'unsupported'

/** A message in words: for quotes, for lines in the middle, for everything without a look of its own. */
export function wordsOf(message: Message, say: Say): string {
  const { unsupported, reaction, template } = message
  if (unsupported?.type === 'revoked') return say('message.deleted')
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
