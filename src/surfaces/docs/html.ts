import { Marked } from 'marked'

/** HTML as text. What is not ours to write goes through `escapeHtml`. */
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string)

const HTTP_ADDRESS = /^[a-z]+:/i

/** A link to the Markdown form of a page becomes one to the page; wide tables scroll on a phone. */
const marked = new Marked({
  walkTokens(token) {
    if (token.type === 'link' && !HTTP_ADDRESS.test(token.href)) token.href = token.href.replace(/\.md$/, '')
  },
  hooks: {
    postprocess: (html) =>
      html.replaceAll('<table>', '<div class="scroll" tabindex="0"><table>').replaceAll('</table>', '</table></div>'),
  },
})

export const renderMarkdown = (markdown: string): string => marked.parse(markdown, { async: false })
export const renderInline = (markdown: string): string => marked.parseInline(markdown, { async: false }) as string
