import type { InteractiveContent, MessageContent } from '../../content/message-content.ts'
import { simulationImpossible } from './simulator.errors.ts'

/** What a customer can tap on in a message they were sent: the buttons, or the rows of the list. */
export type Choice = { id: string; title: string; description?: string }

type Replying = { reply?: Choice }
type Section = { rows?: Choice[] }

export function choicesOf(content: MessageContent | null): { kind: 'button_reply' | 'list_reply'; choices: Choice[] } {
  const action = content?.type === 'interactive' ? (content.interactive.action ?? {}) : {}
  const buttons = listOf<Replying>(action.buttons).flatMap(({ reply }) => (reply === undefined ? [] : [reply]))
  if (buttons.length > 0) return { kind: 'button_reply', choices: buttons }
  return { kind: 'list_reply', choices: listOf<Section>(action.sections).flatMap(({ rows }) => listOf<Choice>(rows)) }
}

const listOf = <Item>(value: unknown): Item[] => (Array.isArray(value) ? value : [])

/** By id, by title, or by its place from 1 on. */
export function choose(content: MessageContent | null, wanted: string): InteractiveContent {
  const { kind, choices } = choicesOf(content)
  const title = wanted.trim().toLowerCase()
  const chosen =
    choices.find(({ id }) => id === wanted) ??
    choices.find((choice) => choice.title.toLowerCase() === title) ??
    (/^\d{1,2}$/.test(title) ? choices[Number(title) - 1] : undefined)
  if (chosen === undefined)
    throw simulationImpossible({
      says:
        choices.length === 0
          ? 'This message offers nothing to choose from.'
          : `"${wanted}" was not offered. There is: ${choices.map(({ id }) => `"${id}"`).join(', ')}.`,
    })
  return replyOf(kind, chosen)
}

export const replyOf = (
  kind: 'button_reply' | 'list_reply',
  { id, title, description }: Choice,
): InteractiveContent => ({
  type: kind,
  [kind]: { id, title, ...(description !== undefined && kind === 'list_reply' && { description }) },
})
