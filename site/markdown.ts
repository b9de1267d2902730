import type { MarkdownRenderer } from 'vitepress'

/** What our Markdown means beyond CommonMark. The files read well without any of it. */

const LABEL = /\[[^\]]+\]\s*$/

type Token = ReturnType<MarkdownRenderer['parse']>[number]
const isLabelled = (token: Token | undefined) => token?.type === 'fence' && LABEL.test(token.info)

/** Adjacent fences with a label, as in "```ts [TypeScript]", are tabs. */
export function joinLabelledFences(md: MarkdownRenderer): void {
  md.core.ruler.after('block', 'labelled-fences', (state) => {
    const joined: Token[] = []
    for (let at = 0; at < state.tokens.length; ) {
      let end = at
      while (isLabelled(state.tokens[end])) end++
      const isGroup = end - at > 1
      if (isGroup) joined.push(new state.Token('container_code-group_open', 'div', 1))
      joined.push(...state.tokens.slice(at, Math.max(end, at + 1)))
      if (isGroup) joined.push(new state.Token('container_code-group_close', 'div', -1))
      at = Math.max(end, at + 1)
    }
    state.tokens = joined
  })
}

/** Braces in a text are text, as in the variables of a message template. */
export function escapeBraces(md: MarkdownRenderer): void {
  md.renderer.rules.text = (tokens, index) =>
    md.utils.escapeHtml(tokens[index]?.content ?? '').replaceAll('{', '&#123;')
}

/** A fence "try-it" holds the call that its form makes. */
export function renderTryIt(md: MarkdownRenderer): void {
  const renderFence = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, index, ...others) => {
    const token = tokens[index]
    if (token?.info.trim() === 'try-it') return `<TryIt :call="${md.utils.escapeHtml(token.content.trim())}" />\n`
    return renderFence?.(tokens, index, ...others) ?? ''
  }
}

/** A wide table scrolls on a phone, with the keyboard too. */
export function scrollTables(md: MarkdownRenderer): void {
  md.renderer.rules.table_open = () => '<table tabindex="0">\n'
}
