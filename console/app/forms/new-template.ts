import type { Template } from '../api/messages.ts'
import { blanksOf, type HeaderFile, isNumbered, type TemplateParts } from '../components/template-parts.ts'
import type { TextKey } from '../text/text.tsx'

/** A template while it is written, and the components that WhatsApp is given for it. */
export type NewTemplateDraft = {
  name: string
  language: string
  category: 'utility' | 'marketing'
  header: 'none' | 'text' | HeaderFile
  headerText: string
  body: string
  footer: string
  buttons: readonly NewButton[]
  /** By part and variable, such as `body:1`. */
  examples: Readonly<Record<string, string>>
}

export type ButtonType = 'quick_reply' | 'url' | 'phone_number'
/** `value` is the address or the phone number. */
export type NewButton = { id: number; type: ButtonType; text: string; value: string }

export const MAX = { name: 512, header: 60, body: 1024, footer: 60, button: 25, buttons: 10 } as const
/** Of each kind, in one template. */
export const BUTTONS_MAX: Record<ButtonType, number> = { quick_reply: MAX.buttons, url: 2, phone_number: 1 }

export const emptyTemplate = (language: string): NewTemplateDraft => ({
  ...{ name: '', language, category: 'utility', header: 'none', headerText: '', body: '', footer: '' },
  ...{ buttons: [], examples: {} },
})

/** What is typed becomes a name that WhatsApp takes: “Order ready!” is `order_ready_`. */
export const nameFrom = (typed: string) =>
  typed
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '_')
    .slice(0, MAX.name)

export type Blank = { key: string; part: 'header' | 'body' | 'button'; name: string; of: string }

/** Every variable needs an example, by which WhatsApp reviews the template. */
export function blanksIn(draft: NewTemplateDraft): Blank[] {
  const inText = (part: 'header' | 'body', text: string): Blank[] =>
    blanksOf(text).map((name) => ({ key: `${part}:${name}`, part, name, of: '' }))
  const inLinks = draft.buttons
    .filter(({ type, value }) => type === 'url' && blanksOf(value).length > 0)
    .map(({ id, text }) => ({ key: `button:${id}`, part: 'button' as const, name: '1', of: text }))
  return [
    ...inText('header', draft.header === 'text' ? draft.headerText : ''),
    ...inText('body', draft.body),
    ...inLinks,
  ]
}

/** Quick replies stand together: WhatsApp refuses them on both sides of another button. */
const inOrder = (buttons: readonly NewButton[]) => [
  ...buttons.filter(({ type }) => type === 'quick_reply'),
  ...buttons.filter(({ type }) => type !== 'quick_reply'),
]

type Json = Record<string, unknown>

/** `file` is the id of the example file, which the server hands over. */
export function componentsOf(draft: NewTemplateDraft, file: string | null): Json[] {
  const { header, headerText, body, footer, buttons } = draft
  const ofHeader =
    header === 'text'
      ? { format: 'TEXT', text: headerText.trim(), ...exampleOf(draft, 'header', headerText) }
      : { format: header.toUpperCase(), ...(file !== null && { example: { header_handle: [file] } }) }
  return [
    ...(header === 'none' ? [] : [{ type: 'HEADER', ...ofHeader }]),
    { type: 'BODY', text: body.trim(), ...exampleOf(draft, 'body', body) },
    ...(footer.trim() === '' ? [] : [{ type: 'FOOTER', text: footer.trim() }]),
    ...(buttons.length === 0
      ? []
      : [{ type: 'BUTTONS', buttons: inOrder(buttons).map((button) => buttonOf(draft, button)) }]),
  ]
}

function exampleOf({ examples }: NewTemplateDraft, part: 'header' | 'body', text: string): Json {
  const names = blanksOf(text)
  if (names.length === 0) return {}
  const given = names.map((name) => (examples[`${part}:${name}`] ?? '').trim())
  if (names.every(isNumbered)) return { example: { [`${part}_text`]: part === 'body' ? [given] : given } }
  const named = names.map((name, index) => ({ param_name: name, example: given[index] }))
  return { example: { [`${part}_text_named_params`]: named } }
}

function buttonOf({ examples }: NewTemplateDraft, { id, type, text, value }: NewButton): Json {
  const shared = { type: type.toUpperCase(), text: text.trim() }
  if (type === 'quick_reply') return shared
  if (type === 'phone_number') return { ...shared, phone_number: value.replaceAll(/[^\d+]/g, '') }
  const example = (examples[`button:${id}`] ?? '').trim()
  return { ...shared, url: value.trim(), ...(blanksOf(value).length > 0 && { example: [example] }) }
}

/** A message that fills each variable with its example. */
export const exampleMessage = (name: string, language: string, { header, body, examples }: TemplateParts): Template => {
  const parameters = (part: 'header' | 'body', text: string) =>
    blanksOf(text).map((blank) => ({ type: 'text', parameter_name: blank, text: examples[part][blank] ?? '' }))
  return {
    name,
    language: { code: language },
    components: [
      { type: 'header', parameters: parameters('header', header.kind === 'text' ? header.text : '') },
      { type: 'body', parameters: parameters('body', body) },
    ],
  } as Template
}

type Found = { says: TextKey; values?: Record<string, string | number> }
const required: Found = { says: 'template.missing' }

/** What WhatsApp would refuse, by field. The rest is for its review. */
export function problemsIn(draft: NewTemplateDraft, hasFile: boolean): Record<string, Found> {
  const { name, header, headerText, body, buttons, examples } = draft
  const problems: [string, Found | null][] = [
    ['name', name === '' ? required : null],
    ['headerText', header === 'text' ? headerProblem(headerText) : null],
    ['file', header !== 'none' && header !== 'text' && !hasFile ? { says: 'template.noFile' } : null],
    ['body', bodyProblem(body)],
    ...blanksIn(draft).map(({ key }): [string, Found | null] => [key, examples[key]?.trim() ? null : required]),
    ...buttons.flatMap(({ id, type, text, value }): [string, Found | null][] => [
      [`text:${id}`, text.trim() === '' ? required : null],
      [`value:${id}`, type === 'quick_reply' ? null : valueProblem(type, value.trim())],
    ]),
  ]
  return Object.fromEntries(problems.filter((problem): problem is [string, Found] => problem[1] !== null))
}

function headerProblem(text: string): Found | null {
  if (text.trim() === '') return required
  return blanksOf(text).length > 1 ? { says: 'templates.problem.headerVariables' } : variablesProblem(text)
}

function bodyProblem(text: string): Found | null {
  const body = text.trim()
  if (body === '') return required
  if (/^\{\{|\}\}$/.test(body)) return { says: 'templates.problem.edge' }
  return variablesProblem(body)
}

/** Numbered without a gap, or all named. */
function variablesProblem(text: string): Found | null {
  const names = blanksOf(text)
  const numbers = names.filter(isNumbered)
  if (numbers.length > 0 && numbers.length < names.length) return { says: 'templates.problem.mixed' }
  const gap = numbers.findIndex((number, index) => Number(number) !== index + 1)
  return gap < 0 ? null : { says: 'templates.problem.gap', values: { number: gap + 1 } }
}

function valueProblem(type: ButtonType, value: string): Found | null {
  if (value === '') return required
  if (type === 'phone_number')
    return /^\+?[\d\s()-]{6,20}$/.test(value) ? null : { says: 'templates.problem.phone', values: {} }
  if (!/^https?:\/\/[^\s]+$/.test(value)) return { says: 'template.noLink' }
  return /\{\{/.test(value.replace(/\{\{1\}\}$/, '')) ? { says: 'templates.problem.link' } : null
}

/** The number of the next variable of a text. */
export const nextVariable = (text: string) => `{{${Math.max(0, ...blanksOf(text).filter(isNumbered).map(Number)) + 1}}}`
