import { isRecord } from '../../kernel/records.ts'
import { nearestName } from '../../kernel/text.ts'
import { type ContentProblem, findProblems, type Path, type Report, type TemplateContent } from '../content/content.ts'

/**
 * What is given for a template, held against what it asks for. Said before a message is accepted, it names the blank that
 * was left open; said by the network, it is a number of parameters that does not match.
 */
export function checkTemplateParameters(blanks: TemplateBlanks, { components }: TemplateContent): ContentProblem[] {
  const place = { blanks, components: components ?? [], path: ['template', 'components'] }
  return findProblems((_, __, report) => checkComponents(place, report), null)
}

type Given = { type: string; path: Path; parameters: Record<string, unknown>[]; component: Record<string, unknown> }
type Place = { blanks: TemplateBlanks; components: readonly unknown[]; path: Path }

function checkComponents({ blanks, components, path }: Place, report: Report): void {
  const given = components.flatMap((component, index) => readComponent(component, [...path, index]))
  const one = (type: string) => onlyOne(given, type, report)
  checkHeader(blanks.header, one('header'), { path, report })
  checkTexts(blanks.body, one('body'), { path, report, part: 'body' })
  checkButtons(
    blanks.buttons,
    given.filter(({ type }) => type === 'button'),
    { path, report },
  )
  checkCards(blanks.cards, one('carousel'), { path, report })
}

function readComponent(component: unknown, path: Path): Given[] {
  if (!isRecord(component) || typeof component.type !== 'string') return []
  const { type, parameters } = component
  const given = Array.isArray(parameters) ? parameters.filter(isRecord) : []
  return [{ type: type.toLowerCase(), path, parameters: given, component }]
}

function onlyOne(given: readonly Given[], type: string, report: Report): Given | undefined {
  const [first, ...others] = given.filter((one) => one.type === type)
  for (const { path } of others)
    report(path, 'duplicate', `The ${type} appears twice. Put all its parameters into one.`)
  return first
}

type Spot = { path: Path; report: Report }

const parametersOf = (given: Given | undefined, path: Path): Path =>
  given === undefined ? path : [...given.path, 'parameters']

const counted = (count: number) => (count === 0 ? 'no parameters' : `${count} parameter${count === 1 ? '' : 's'}`)

function checkHeader(header: HeaderBlank, given: Given | undefined, spot: Spot): void {
  if (header.kind === 'texts') checkTexts(header.names, given, { ...spot, part: 'header' })
  if (header.kind === 'file') checkFile(header.type, given, spot)
}

function checkFile(type: string, given: Given | undefined, { path, report }: Spot): void {
  const at = parametersOf(given, path)
  const [first, ...more] = given?.parameters ?? []
  if (first === undefined) {
    const params = { component: 'header', parameter: type }
    report(at, 'required', `The ${type} of the header is missing.`, params)
  } else if (first.type !== type) {
    const detail = `The header of this template needs a parameter of type ${type}, not ${first.type}.`
    report([...at, 0, 'type'], 'wrong_type', detail, { expected: type })
  }
  if (more.length > 0) report(at, 'too_many', `The header has 1 parameter; you sent ${1 + more.length}.`, { max: 1 })
}

type TextSpot = Spot & { part: 'header' | 'body' }

const TEXTS: readonly unknown[] = ['text', 'currency', 'date_time']

function checkTexts(names: readonly string[], given: Given | undefined, spot: TextSpot): void {
  const parameters = given?.parameters ?? []
  const at = parametersOf(given, spot.path)
  const { part, report } = spot
  if (parameters.length > names.length)
    report(at, 'too_many', `The ${part} has ${counted(names.length)}; you sent ${parameters.length}.`, {
      max: names.length,
    })
  for (const [index, { type }] of parameters.slice(0, names.length).entries())
    if (!TEXTS.includes(type))
      report([...at, index, 'type'], 'wrong_type', `The ${part} needs a text here, not a parameter of type ${type}.`, {
        expected: 'text',
      })
  const missing = areNumbers(names) ? names.slice(parameters.length) : namesMissing(names, parameters, { at, report })
  for (const parameter of missing) {
    const detail = `{{${parameter}}} of the ${part} is missing. The ${part} has ${counted(names.length)}.`
    report(at, 'required', detail, { component: part, parameter })
  }
}

/** Of blanks with names. A parameter that names none of them is reported and fills none. */
function namesMissing(
  names: readonly string[],
  parameters: readonly Record<string, unknown>[],
  { at, report }: { at: Path; report: Report },
): string[] {
  const filled = new Set<string>()
  for (const [index, { parameter_name: name }] of parameters.entries()) {
    const path = [...at, index, 'parameter_name']
    if (typeof name !== 'string')
      report(path, 'required', `Name the placeholder of this parameter: ${names.join(', ')}.`, { allowed: names })
    else if (filled.has(name)) report(path, 'duplicate', `{{${name}}} appears twice.`)
    else if (!names.includes(name)) report(path, 'not_allowed', unknownName(name, names), { allowed: names })
    if (typeof name === 'string') filled.add(name)
  }
  return names.filter((name) => !filled.has(name))
}

const unknownName = (name: string, names: readonly string[]): string => {
  const nearest = nearestName(name, names)
  return `This template has no placeholder "${name.slice(0, 100)}"${nearest === null ? `; it has ${names.join(', ')}.` : `; did you mean "${nearest}"?`}`
}

function checkButtons(buttons: readonly ButtonBlank[], given: readonly Given[], spot: Spot): void {
  const met = new Set<number>()
  for (const one of given) {
    const index = positionOf(one.component.index)
    const button = buttons[index]
    if (button === undefined) spot.report([...one.path, 'index'], 'not_allowed', noSuchButton(buttons.length))
    else if (met.has(index)) spot.report([...one.path, 'index'], 'duplicate', `Button ${index} appears twice.`)
    else checkButton(button, one, { index, report: spot.report })
    met.add(index)
  }
  for (const [index, { label, parametersMin }] of buttons.entries()) {
    if (met.has(index) || parametersMin === 0) continue
    const params = { component: 'button', parameter: String(index) }
    spot.report(spot.path, 'required', `The parameter of button ${index} ("${label}") is missing.`, params)
  }
}

/** "0" or 0; what is neither is no position, and may not even have a text. */
const positionOf = (value: unknown): number =>
  typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN

function noSuchButton(count: number): string {
  if (count === 0) return 'This template has no buttons.'
  return count === 1 ? 'This template has one button, 0.' : `The buttons of this template are 0 to ${count - 1}.`
}

const kindOf = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '')

function checkButton(
  { label, subTypes, parametersMin: min, parametersMax: max }: ButtonBlank,
  { component, parameters, path }: Given,
  { index, report }: { index: number; report: Report },
): void {
  const name = `Button ${index} ("${label}")`
  const at = [...path, 'parameters']
  if (subTypes !== null && !subTypes.includes(kindOf(component.sub_type))) {
    const takes = subTypes.length === 0 ? 'has no parameters' : `is of type ${subTypes.join(' or ')}`
    report([...path, 'sub_type'], 'not_allowed', `${name} ${takes}.`, { allowed: subTypes })
  } else if (parameters.length < min) {
    const params = { component: 'button', parameter: String(index) }
    report(at, 'required', `The parameter of button ${index} ("${label}") is missing.`, params)
  } else if (parameters.length > max) {
    report(at, 'too_many', `${name} has ${counted(max)}; you sent ${parameters.length}.`, { max })
  }
}

function checkCards(cards: TemplateBlanks['cards'], given: Given | undefined, { path, report }: Spot): void {
  if (cards === null) {
    if (given !== undefined) report([...given.path, 'type'], 'not_allowed', 'This template has no carousel.')
  } else if (given === undefined) {
    report(path, 'required', 'The cards of the carousel are missing.', { component: 'carousel' })
  } else {
    checkEachCard(cards, given, report)
  }
}

function checkEachCard(cards: readonly TemplateBlanks[], given: Given, report: Report): void {
  const list = Array.isArray(given.component.cards) ? given.component.cards.filter(isRecord) : []
  const at = [...given.path, 'cards']
  if (list.length !== cards.length) {
    const code = list.length > cards.length ? 'too_many' : 'too_few'
    const detail = `This template has ${cards.length} cards; you sent ${list.length}.`
    report(at, code, detail, { min: cards.length, max: cards.length })
  }
  for (const [position, card] of list.entries()) {
    const blanks = cards[typeof card.card_index === 'number' ? card.card_index : position]
    const components = Array.isArray(card.components) ? card.components : []
    if (blanks !== undefined) checkComponents({ blanks, components, path: [...at, position, 'components'] }, report)
  }
}

/**
 * The parameters of a template, read from its definition as Meta writes it. Unknown parts ask for
 * nothing and take everything: only the network can judge them.
 */
export type TemplateBlanks = {
  header: HeaderBlank
  /** Names of the blanks in their order: `1`, `2`, … or words. */
  body: readonly string[]
  buttons: readonly ButtonBlank[]
  /** Null where the template has no carousel. */
  cards: readonly TemplateBlanks[] | null
}

export type HeaderBlank =
  | { kind: 'texts'; names: readonly string[] }
  | { kind: 'file'; type: 'image' | 'video' | 'document' | 'location' }
  | { kind: 'unknown' }

export type ButtonBlank = {
  label: string
  /** What a component for it may call itself; null where anything goes. */
  subTypes: readonly string[] | null
  parametersMin: number
  parametersMax: number
}

type Json = Record<string, unknown>

const recordsOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : [])
const wordOf = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '')

export function readBlanks(definition: readonly unknown[]): TemplateBlanks {
  const components = recordsOf(definition)
  const named = (type: string) => components.find((component) => wordOf(component.type) === type)
  const carousel = named('carousel')
  return {
    header: headerOf(named('header')),
    body: namesIn(named('body')?.text),
    buttons: recordsOf(named('buttons')?.buttons).map(buttonOf),
    cards:
      carousel === undefined ? null : recordsOf(carousel.cards).map((card) => readBlanks(recordsOf(card.components))),
  }
}

/** Each once, in the order in which values are given: by number, or as they first stand in the text. */
function namesIn(text: unknown): string[] {
  const found = typeof text === 'string' ? [...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)] : []
  const names = [...new Set(found.map(([, name]) => name as string))]
  return areNumbers(names) ? names.sort((one, other) => Number(one) - Number(other)) : names
}

const areNumbers = (names: readonly string[]): boolean => names.every((name) => /^\d+$/.test(name))

const FILES = ['image', 'video', 'document', 'location'] as const

function headerOf(component: Json | undefined): HeaderBlank {
  if (component === undefined) return { kind: 'texts', names: [] }
  const format = wordOf(component.format)
  if (format === 'text') return { kind: 'texts', names: namesIn(component.text) }
  const file = FILES.find((type) => type === format)
  return file === undefined ? { kind: 'unknown' } : { kind: 'file', type: file }
}

const ANY_NUMBER = 100

/** By what the definition calls the button. A code to copy may be sent as the address that it is behind the scenes. */
const BUTTONS: Record<string, Omit<ButtonBlank, 'label'>> = {
  quick_reply: { subTypes: ['quick_reply'], parametersMin: 0, parametersMax: 1 },
  copy_code: { subTypes: ['copy_code'], parametersMin: 1, parametersMax: 1 },
  otp: { subTypes: ['url', 'otp', 'copy_code'], parametersMin: 1, parametersMax: 1 },
  phone_number: { subTypes: [], parametersMin: 0, parametersMax: 0 },
  flow: { subTypes: ['flow'], parametersMin: 0, parametersMax: 1 },
  catalog: { subTypes: ['catalog'], parametersMin: 0, parametersMax: 1 },
  mpm: { subTypes: ['mpm'], parametersMin: 0, parametersMax: 1 },
}

const UNKNOWN_BUTTON = { subTypes: null, parametersMin: 0, parametersMax: ANY_NUMBER }

function buttonOf({ type, text, url }: Json): ButtonBlank {
  const label = typeof text === 'string' ? text : wordOf(type)
  if (wordOf(type) !== 'url') return { label, ...(BUTTONS[wordOf(type)] ?? UNKNOWN_BUTTON) }
  const blanks = namesIn(url).length
  return { label, subTypes: ['url'], parametersMin: blanks, parametersMax: blanks }
}
