/** The variables of saved replies, as the server knows them. */
export const replyVariables = ['customer_name', 'shop_name', 'order_number', 'order_total', 'order_link'] as const
export type ReplyVariable = (typeof replyVariables)[number]

const PLACEHOLDER = new RegExp(`\\{\\{(${replyVariables.join('|')})\\}\\}`, 'g')

/** What has no value stays as it is, so that it is seen before it is sent. */
export const fillReply = (text: string, values: Partial<Record<ReplyVariable, string | null>>): string =>
  text.replaceAll(PLACEHOLDER, (written, name: ReplyVariable) => values[name] ?? written)

/** Placeholders that are still in a text, each once. */
export const unfilledIn = (text: string): string[] => [...new Set(text.match(PLACEHOLDER) ?? [])]

export type Slash = { start: number; end: number; word: string }

/** A slash at the start of a word before the caret, with what was typed after it. */
export function slashAt(text: string, caret: number): Slash | null {
  const found = /(?:^|\s)\/([^\s/]*)$/.exec(text.slice(0, caret))
  if (found === null) return null
  const word = found[1] ?? ''
  return { start: caret - word.length - 1, end: caret, word: word.toLowerCase() }
}
