import type { Template } from '../api/messages.ts'
import type { FieldProblem } from '../api/problem.ts'
import { type ButtonPart, blanksOf, isNumbered, isRecord, type TemplateParts } from '../components/template-parts.ts'
import type { TextKey } from '../text/text.tsx'

/**
 * What a template asks for as fields of a form, and what was typed there as the components of a message. Each value knows its
 * place in the message, so that a refusal of the server is shown where it was typed.
 */
export type TemplateDraft = { values: Readonly<Record<string, string>>; isLink: boolean }

export const emptyDraft: TemplateDraft = { values: {}, isLink: false }

export type TemplateField = {
  key: string
  label: TextKey
  /** The blank, or the button that it is for. */
  name: string
  help?: TextKey
  /** An example value. */
  example?: string | undefined
  /** What an ending is the ending of. */
  beginning?: string
  isOptional?: boolean
  charactersMax?: number
  shape?: 'json' | 'lines' | 'link' | 'latitude' | 'longitude'
}

type TemplateAsks = { header: TemplateField[]; body: TemplateField[]; buttons: TemplateField[] }

/** The key of what is no words: the file of the header. */
export const FILE = 'file'

export const fieldsOf = (parts: TemplateParts, { isLink }: Pick<TemplateDraft, 'isLink'>): TemplateAsks => ({
  header: headerFields(parts, isLink),
  body: blanksOf(parts.body).map((name) => ({
    key: `body.${name}`,
    label: 'template.blank',
    name,
    example: parts.examples.body[name],
  })),
  buttons: parts.buttons.flatMap((button, index) => {
    const asks = Object.entries(askingOf(button)?.asks ?? {})
    const beginning = button.url.split('{{')[0] ?? ''
    return asks.map(([id, ask]) => ({ ...ask, key: `button.${index}.${id}`, name: button.label, beginning }))
  }),
})

function headerFields({ header, examples }: TemplateParts, isLink: boolean): TemplateField[] {
  if (header.kind === 'text')
    return blanksOf(header.text).map((name) => ({
      key: `header.${name}`,
      label: 'template.headerBlank',
      name,
      example: examples.header[name],
    }))
  if (header.kind === 'place') return PLACE_FIELDS
  if (header.kind !== 'file') return []
  const ofDocument = header.type === 'document' ? [filenameField(isLink)] : []
  return isLink ? [LINK_FIELD, ...ofDocument] : ofDocument
}

const LINK_FIELD: TemplateField = {
  key: 'link',
  label: 'template.link',
  name: '',
  help: 'template.linkHelp',
  charactersMax: 2048,
  shape: 'link',
}

const filenameField = (isLink: boolean): TemplateField => ({
  key: 'filename',
  label: 'template.filename',
  name: '',
  help: isLink ? 'template.filenameOfLink' : 'template.filenameHelp',
  isOptional: true,
  charactersMax: 240,
})

const PLACE_FIELDS: TemplateField[] = [
  { key: 'place.name', label: 'template.placeName', name: '', isOptional: true },
  { key: 'place.address', label: 'template.placeAddress', name: '', isOptional: true },
  { key: 'place.latitude', label: 'template.latitude', name: '', help: 'template.latitudeHelp', shape: 'latitude' },
  { key: 'place.longitude', label: 'template.longitude', name: '', shape: 'longitude' },
]

type Values = Record<string, string>
type Json = Record<string, unknown>
type Asking = {
  /** What the component of a message calls itself. */
  subType: string
  asks: Record<string, Pick<TemplateField, 'label' | 'help' | 'isOptional' | 'charactersMax' | 'shape'>>
  /** Null where nothing was typed and nothing has to be. */
  parameter: (values: Values) => Json | null
}

const CODE_ASKED = { label: 'template.code', help: 'template.codeHelp', charactersMax: 20 } as const
const PRODUCTS_MAX = 30

/** By what the definition calls the button; the lengths are WhatsApp's. What is not here takes nothing. */
const ASKING: Record<string, Asking> = {
  quick_reply: {
    subType: 'quick_reply',
    asks: {
      payload: { label: 'template.payload', help: 'template.payloadHelp', isOptional: true, charactersMax: 128 },
    },
    parameter: ({ payload = '' }) => (payload === '' ? null : { type: 'payload', payload }),
  },
  url: {
    subType: 'url',
    asks: { text: { label: 'template.ending', help: 'template.endingHelp', charactersMax: 2000 } },
    parameter: ({ text = '' }) => ({ type: 'text', text }),
  },
  copy_code: {
    subType: 'copy_code',
    asks: { coupon_code: CODE_ASKED },
    parameter: ({ coupon_code = '' }) => ({ type: 'coupon_code', coupon_code }),
  },
  // A code to sign in with is sent as the ending of an address, which is what it is behind the scenes.
  otp: {
    subType: 'url',
    asks: { text: { ...CODE_ASKED, charactersMax: 15 } },
    parameter: ({ text = '' }) => ({ type: 'text', text }),
  },
  flow: {
    subType: 'flow',
    asks: {
      flow_token: { label: 'template.flowToken', help: 'template.flowTokenHelp', isOptional: true },
      flow_action_data: { label: 'template.flowData', help: 'template.flowDataHelp', isOptional: true, shape: 'json' },
    },
    parameter: ({ flow_token = '', flow_action_data = '' }) =>
      actionOf({
        ...(flow_token !== '' && { flow_token }),
        ...(flow_action_data !== '' && { flow_action_data: jsonOf(flow_action_data) ?? {} }),
      }),
  },
  catalog: {
    subType: 'catalog',
    asks: {
      thumbnail_product_retailer_id: {
        label: 'template.thumbnail',
        help: 'template.thumbnailHelp',
        isOptional: true,
        charactersMax: 100,
      },
    },
    parameter: ({ thumbnail_product_retailer_id = '' }) =>
      actionOf(thumbnail_product_retailer_id === '' ? {} : { thumbnail_product_retailer_id }),
  },
  mpm: {
    subType: 'mpm',
    asks: {
      title: { label: 'template.productsTitle', charactersMax: 24 },
      products: { label: 'template.products', help: 'template.productsHelp', shape: 'lines' },
    },
    parameter: ({ title = '', products = '' }) => {
      const ids = linesOf(products)
      const items = ids.map((product_retailer_id) => ({ product_retailer_id }))
      return actionOf({ thumbnail_product_retailer_id: ids[0] ?? '', sections: [{ title, product_items: items }] })
    },
  },
}

const askingOf = ({ type, url }: ButtonPart): Asking | undefined =>
  type === 'url' && blanksOf(url).length === 0 ? undefined : ASKING[type]

const actionOf = (action: Json): Json | null => (Object.keys(action).length === 0 ? null : { type: 'action', action })
const linesOf = (text: string): string[] => text.split(/[\n,]/).flatMap((line) => line.trim() || [])

function jsonOf(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

/** As it is typed in either language, with a point or a comma. */
const degreesOf = (text: string): number =>
  text.trim() === '' ? Number.NaN : Number(text.trim().replace('−', '-').replace(',', '.'))

/** One component, and where in it each value stands. */
type Filled = { component: Json & { type: string }; places: [path: string, key: string][] }

type GivenFile = { id: string; name: string } | null

/** Whatever was typed so far: what lacks is empty, and is not sent before it is there. */
export function fill(parts: TemplateParts, draft: TemplateDraft, file: GivenFile): Filled[] {
  const value = (key: string) => (draft.values[key] ?? '').trim()
  const buttons = parts.buttons.flatMap((button, index) => filledButton(button, index, value))
  return [...filledHeader(parts, draft, { value, file }), ...filledTexts('body', parts.body, value), ...buttons]
}

type Value = (key: string) => string

/** Blanks with names are filled by name, numbered ones by their place. */
function filledTexts(type: 'header' | 'body', text: string, value: Value): Filled[] {
  const names = blanksOf(text)
  if (names.length === 0) return []
  const parameters = names.map((name) => ({
    type: 'text',
    text: value(`${type}.${name}`),
    ...(!isNumbered(name) && { parameter_name: name }),
  }))
  return [{ component: { type, parameters }, places: names.map((name, at) => [`parameters/${at}`, `${type}.${name}`]) }]
}

type HeaderValues = { value: Value; file: GivenFile }

function filledHeader({ header }: TemplateParts, { isLink }: TemplateDraft, { value, file }: HeaderValues): Filled[] {
  if (header.kind === 'text') return filledTexts('header', header.text, value)
  if (header.kind === 'place') return [filledPlace(value)]
  if (header.kind !== 'file') return []
  const { type } = header
  const source = isLink ? { link: value('link') } : { id: file?.id ?? '' }
  const filename = value('filename') || (isLink ? '' : (file?.name ?? ''))
  const media = { ...source, ...(type === 'document' && filename !== '' && { filename }) }
  return [
    {
      component: { type: 'header', parameters: [{ type, [type]: media }] },
      places: [
        ['parameters/0', isLink ? 'link' : FILE],
        ['parameters/0/document/filename', 'filename'],
      ],
    },
  ]
}

function filledPlace(value: Value): Filled {
  const [name, address] = [value('place.name'), value('place.address')]
  const location = {
    latitude: degreesOf(value('place.latitude')),
    longitude: degreesOf(value('place.longitude')),
    ...(name !== '' && { name }),
    ...(address !== '' && { address }),
  }
  return {
    component: { type: 'header', parameters: [{ type: 'location', location }] },
    places: ['name', 'address', 'latitude', 'longitude'].map((at) => [`parameters/0/location/${at}`, `place.${at}`]),
  }
}

function filledButton(button: ButtonPart, index: number, value: Value): Filled[] {
  const asking = askingOf(button)
  if (asking === undefined) return []
  const ids = Object.keys(asking.asks)
  const key = (id: string) => `button.${index}.${id}`
  const parameter = asking.parameter(Object.fromEntries(ids.map((id) => [id, value(key(id))])))
  if (parameter === null) return []
  const path = 'action' in parameter ? 'parameters/0/action' : 'parameters/0'
  return [
    {
      component: { type: 'button', sub_type: asking.subType, index: String(index), parameters: [parameter] },
      // What is said of the whole of it stands at its first field.
      places: [
        ['parameters/0', key(ids[0] as string)],
        ...ids.map((id): [string, string] => [`${path}/${id}`, key(id)]),
      ],
    },
  ]
}

export const templateOf = (
  { name, language }: { name: string; language: string },
  filled: readonly Filled[],
): Template => ({
  name,
  language: { code: language },
  ...(filled.length > 0 && { components: filled.map(({ component }) => component) }),
})

type DraftProblem = { says: TextKey; values?: Record<string, number> }

/** What is known to be wrong without asking the server, by field. */
export function problemsOf(
  parts: TemplateParts,
  draft: TemplateDraft,
  { hasFile }: { hasFile: boolean },
): Record<string, DraftProblem> {
  const { header, body, buttons } = fieldsOf(parts, draft)
  const found = [...header, ...body, ...buttons].flatMap((field): [string, DraftProblem][] => {
    const problem = problemOf(field, (draft.values[field.key] ?? '').trim())
    return problem === null ? [] : [[field.key, problem]]
  })
  const isFileMissing = parts.header.kind === 'file' && !draft.isLink && !hasFile
  return { ...(isFileMissing && { [FILE]: { says: 'template.noFile' } }), ...Object.fromEntries(found) }
}

function problemOf({ isOptional, charactersMax, shape }: TemplateField, text: string): DraftProblem | null {
  const count = [...text].length
  if (text === '') return isOptional ? null : { says: 'template.missing' }
  if (charactersMax !== undefined && count > charactersMax)
    return { says: 'template.long', values: { max: charactersMax, count } }
  return shape === undefined ? null : shapeProblem(shape, text)
}

function shapeProblem(shape: NonNullable<TemplateField['shape']>, text: string): DraftProblem | null {
  switch (shape) {
    case 'json':
      return jsonOf(text) === null ? { says: 'template.noJson' } : null
    case 'link':
      return /^https?:\/\/\S+$/i.test(text) ? null : { says: 'template.noLink' }
    case 'lines':
      return linesOf(text).length > PRODUCTS_MAX
        ? { says: 'template.manyProducts', values: { max: PRODUCTS_MAX } }
        : null
    default: {
      const max = shape === 'latitude' ? 90 : 180
      return Math.abs(degreesOf(text)) <= max ? null : { says: 'template.noDegrees', values: { max } }
    }
  }
}

/** A place is copied from a map as both its numbers at once. */
export function withPlace(values: TemplateDraft['values'], key: string, text: string): TemplateDraft['values'] {
  const both = key === 'place.latitude' ? /^\s*(-?\d+\.\d+)\s*,\s*(-?\d+\.\d+)\s*$/.exec(text) : null
  if (both === null) return { ...values, [key]: text }
  return { ...values, 'place.latitude': both[1] as string, 'place.longitude': both[2] as string }
}

/** What the server refuses, at the fields that it is about; and the rest, for which there is none. */
export function refusalsOf(
  problems: readonly FieldProblem[],
  filled: readonly Filled[],
): { atFields: Record<string, string>; elsewhere: FieldProblem[] } {
  const atFields: Record<string, string> = {}
  const elsewhere: FieldProblem[] = []
  for (const problem of problems) {
    const key = fieldAt(problem.pointer ?? '', filled)
    if (key === null) elsewhere.push(problem)
    else atFields[key] ??= problem.detail
  }
  return { atFields, elsewhere }
}

/** The one whose place is nearest. */
function fieldAt(pointer: string, filled: readonly Filled[]): string | null {
  const within = filled.flatMap(({ places }, index) =>
    places.filter(([path]) => `${pointer}/`.startsWith(`#/template/components/${index}/${path}/`)),
  )
  return within.toSorted(([one], [other]) => other.length - one.length)[0]?.[1] ?? null
}
