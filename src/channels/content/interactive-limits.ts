import {
  all,
  type Check,
  choice,
  exactlyOneOf,
  itemsOf,
  list,
  memberOf,
  object,
  type TextLimits,
  text,
  unique,
  word,
} from './content-checks.ts'

/** Buttons, lists and the other messages that a customer answers with a tap. */
export const HEADER_TEXT_MAX = 60
export const FOOTER_TEXT_MAX = 60
export const BODY_TEXT_MAX = 1024
export const LIST_BODY_TEXT_MAX = 4096
export const BUTTONS_MAX = 3
export const BUTTON_ID_MAX = 256
export const BUTTON_TITLE_MAX = 20
export const SECTIONS_MAX = 10
/** Over all sections together. */
export const ROWS_MAX = 10
export const ROW_ID_MAX = 200
export const ROW_TITLE_MAX = 24
export const ROW_DESCRIPTION_MAX = 72
export const SECTION_TITLE_MAX = 24
export const URL_LABEL_MAX = 20
export const FLOW_LABEL_MAX = 30
/** Over all sections together. */
export const PRODUCTS_MAX = 30
export const CARDS_MIN = 2
export const CARDS_MAX = 10
export const REFERENCE_MAX = 200

export const INTERACTIVE_TYPES = [
  'button',
  'list',
  'cta_url',
  'location_request_message',
  'flow',
  'product',
  'product_list',
  'catalog_message',
  'order_details',
  'order_status',
  'carousel',
  'address_message',
  'call_permission_request',
  'voice_call',
  'request_contact_info',
] as const

/** No space at either end: the network trims ids, and the answer would name an id that was never given. */
export const TRIMMED_PATTERN = /^\S(?:[\s\S]*\S)?$/
export const TRIMMED_SAYS = 'This must not begin or end with a space.'
const trimmed = (max: number): TextLimits => ({ max, pattern: TRIMMED_PATTERN, says: TRIMMED_SAYS })

/** Labels of flows are plain text. */
export const NO_EMOJI_PATTERN = /^[^\u{1F000}-\u{1FAFF}\u{2600}-\u{27BF}]*$/u
export const NO_EMOJI_SAYS = 'This must not contain emoji.'

const headerText = object({ required: { text: text({ max: HEADER_TEXT_MAX }) } })
const textHeader = choice('type', { text: headerText })
const bodyOf = (max: number) => object({ required: { text: text({ max }) } })
const footer = object({ required: { text: text({ max: FOOTER_TEXT_MAX }) } })
const reference = text({ max: REFERENCE_MAX, mayBeBlank: true })

const anyHeader = (mediaSource: Check) =>
  choice('type', {
    text: headerText,
    image: object({ required: { image: mediaSource } }),
    video: object({ required: { video: mediaSource } }),
    document: object({ required: { document: mediaSource } }),
  })

const namedAction = (name: string, parameters?: Check) =>
  object({ required: { name: word([name]), ...(parameters !== undefined && { parameters }) } })

const replyButtons: Check = all(
  object({
    required: {
      buttons: list({
        min: 1,
        max: BUTTONS_MAX,
        of: object({
          required: {
            type: word(['reply']),
            reply: object({ required: { id: text(trimmed(BUTTON_ID_MAX)), title: text({ max: BUTTON_TITLE_MAX }) } }),
          },
        }),
      }),
    },
  }),
  (action, path, report) => {
    for (const name of ['id', 'title']) {
      const values = itemsOf(memberOf(action, 'buttons')).map((button, index) => ({
        value: memberOf(memberOf(button, 'reply'), name),
        path: [...path, 'buttons', index, 'reply', name],
      }))
      unique(values, report)
    }
  },
)

/** A section needs a title as soon as there are two, and the items of all of them are counted together. */
const sectionsRule =
  (items: string, itemsMax: number): Check =>
  (action, path, report) => {
    const sections = itemsOf(memberOf(action, 'sections'))
    const count = sections.reduce((sum: number, section) => sum + itemsOf(memberOf(section, items)).length, 0)
    if (count > itemsMax)
      report(
        [...path, 'sections'],
        'too_many',
        `All sections together take at most ${itemsMax} ${items}; there are ${count}.`,
        { max: itemsMax },
      )
    if (sections.length < 2) return
    for (const [index, section] of sections.entries()) {
      if ((memberOf(section, 'title') ?? '') === '')
        report([...path, 'sections', index, 'title'], 'required', 'Each section needs a title when there are several.')
    }
  }

const rowIds: Check = (action, path, report) => {
  const ids = itemsOf(memberOf(action, 'sections')).flatMap((section, sectionIndex) =>
    itemsOf(memberOf(section, 'rows')).map((row, index) => ({
      value: memberOf(row, 'id'),
      path: [...path, 'sections', sectionIndex, 'rows', index, 'id'],
    })),
  )
  unique(ids, report)
}

const sectionTitle = text({ min: 0, max: SECTION_TITLE_MAX })

const listAction: Check = all(
  object({
    required: {
      button: text({ max: BUTTON_TITLE_MAX }),
      sections: list({
        min: 1,
        max: SECTIONS_MAX,
        of: object({
          required: {
            rows: list({
              min: 1,
              max: ROWS_MAX,
              of: object({
                required: { id: text(trimmed(ROW_ID_MAX)), title: text({ max: ROW_TITLE_MAX }) },
                optional: { description: text({ min: 0, max: ROW_DESCRIPTION_MAX }) },
              }),
            }),
          },
          optional: { title: sectionTitle },
        }),
      }),
    },
  }),
  sectionsRule('rows', ROWS_MAX),
  rowIds,
)

const flowParameters: Check = all(
  object({
    required: {
      flow_message_version: word(['3']),
      flow_cta: text({ max: FLOW_LABEL_MAX, pattern: NO_EMOJI_PATTERN, says: NO_EMOJI_SAYS, mayBeBlank: true }),
    },
    optional: {
      flow_id: reference,
      flow_name: reference,
      flow_token: reference,
      flow_action: word(['navigate', 'data_exchange']),
      flow_action_payload: object({ optional: { screen: reference } }),
      mode: word(['draft', 'published']),
    },
  }),
  exactlyOneOf('flow_id', 'flow_name'),
)

const productListAction: Check = all(
  object({
    required: {
      catalog_id: reference,
      sections: list({
        min: 1,
        max: SECTIONS_MAX,
        of: object({
          required: {
            product_items: list({
              min: 1,
              max: PRODUCTS_MAX,
              of: object({ required: { product_retailer_id: reference } }),
            }),
          },
          optional: { title: sectionTitle },
        }),
      }),
    },
  }),
  sectionsRule('product_items', PRODUCTS_MAX),
)

const orderAction = (name: string) => namedAction(name, object({ required: { reference_id: reference } }))

/** What a card holds is the network's affair: it is new, and still grows. */
const cardsAction = object({ required: { cards: list({ min: CARDS_MIN, max: CARDS_MAX, of: object({}) }) } })

type Frame = { header?: Check; action: Check; bodyMax?: number; isBodyOptional?: boolean; isHeaderRequired?: boolean }

function frame({ header, action, bodyMax = BODY_TEXT_MAX, isBodyOptional, isHeaderRequired }: Frame): Check {
  const body = bodyOf(bodyMax)
  return object({
    required: { ...(isHeaderRequired && header && { header }), ...(!isBodyOptional && { body }), action },
    optional: { ...(!isHeaderRequired && header && { header }), ...(isBodyOptional && { body }), footer },
    forbidden: header === undefined ? ['header'] : [],
  })
}

export function interactiveCheck(mediaSource: Check, link: Check): Check {
  const header = anyHeader(mediaSource)
  const urlParameters = object({ required: { display_text: text({ max: URL_LABEL_MAX }), url: link } })
  const thumbnail = object({ optional: { thumbnail_product_retailer_id: reference } })
  const supported: Record<(typeof INTERACTIVE_TYPES)[number], Check> = {
    button: frame({ header, action: replyButtons }),
    list: frame({ header: textHeader, action: listAction, bodyMax: LIST_BODY_TEXT_MAX }),
    cta_url: frame({ header, action: namedAction('cta_url', urlParameters) }),
    location_request_message: frame({ action: namedAction('send_location') }),
    flow: frame({ header, action: namedAction('flow', flowParameters) }),
    product: frame({
      action: object({ required: { catalog_id: reference, product_retailer_id: reference } }),
      isBodyOptional: true,
    }),
    product_list: frame({ header: textHeader, action: productListAction, isHeaderRequired: true }),
    catalog_message: frame({
      action: all(namedAction('catalog_message'), object({ optional: { parameters: thumbnail } })),
    }),
    order_details: frame({ header, action: orderAction('review_and_pay') }),
    order_status: frame({ action: orderAction('review_order') }),
    carousel: frame({ action: cardsAction }),
    address_message: frame({ header, action: namedAction('address_message', object({})) }),
    call_permission_request: frame({ action: namedAction('call_permission_request'), isBodyOptional: true }),
    voice_call: frame({ header, action: namedAction('voice_call') }),
    request_contact_info: frame({ action: namedAction('request_contact_info') }),
  }
  return choice('type', supported, 'unsupported')
}
