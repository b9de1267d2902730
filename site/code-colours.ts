import type { MarkdownOptions } from 'vitepress'

/**
 * Colours of code by class instead of by style attribute, which the policy forbids. The names are those of the variables in
 * `theme/look.css`, where both themes have a colour with enough contrast for each.
 */
const scopes: Record<string, string[]> = {
  comment: ['comment', 'punctuation.definition.comment'],
  string: ['string', 'punctuation.definition.string', 'meta.embedded.assertion'],
  number: ['constant', 'support.constant', 'variable.language'],
  keyword: ['keyword', 'storage', 'punctuation.definition.keyword'],
  name: ['entity.name', 'support.function', 'support.class', 'support.type.property-name', 'meta.property-name'],
}

export const codeTheme: NonNullable<MarkdownOptions['theme']> = {
  name: 'nexkit',
  type: 'light',
  colors: { 'editor.foreground': 'var(--code-text)', 'editor.background': 'var(--code-ground)' },
  settings: Object.entries(scopes).map(([name, scope]) => ({ scope, settings: { foreground: `var(--code-${name})` } })),
}

type CodeTransformer = NonNullable<MarkdownOptions['codeTransformers']>[number]

export const stylesToClasses: CodeTransformer = {
  pre(node) {
    delete node.properties.style
  },
  span(node) {
    const [, name] = /var\(--code-(\w+)\)/.exec(String(node.properties.style)) ?? []
    delete node.properties.style
    if (name !== undefined && name !== 'text') node.properties.class = `code-${name}`
  },
}
