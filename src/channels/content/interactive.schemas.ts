import { z } from 'zod'
import { pascalCase } from '../../platform/http/openapi/openapi-errors.ts'
import { publishedRule, textSchema, visibleText } from '../../platform/http/schemas.ts'
import * as limits from './interactive-limits.ts'

/** Interactive messages as requests give them, in WhatsApp's own shapes. */
/** As TRIMMED_PATTERN; NUL, which never gets past the reader of bodies, has to be named for the reader of the description. */
const PUBLISHED_TRIMMED = '^[^\\s\\u0000](?:[^\\u0000]*[^\\s\\u0000])?$'

const trimmed = (max: number) =>
  textSchema(max, 1).regex(limits.TRIMMED_PATTERN, limits.TRIMMED_SAYS).meta({ pattern: PUBLISHED_TRIMMED })

const reference = textSchema(limits.REFERENCE_MAX, 1)
const bodyOf = (max: number) => z.strictObject({ text: visibleText(max) })
const body = bodyOf(limits.BODY_TEXT_MAX).meta({ id: 'InteractiveBody' })
const footer = z
  .strictObject({ text: visibleText(limits.FOOTER_TEXT_MAX) })
  .meta({ id: 'InteractiveFooter' })
  .optional()
const textHeader = z
  .strictObject({ type: z.literal('text'), text: visibleText(limits.HEADER_TEXT_MAX) })
  .meta({ id: 'InteractiveTextHeader' })
const sectionTitle = textSchema(limits.SECTION_TITLE_MAX).optional()

const replyButtons = z.strictObject({
  buttons: z
    .array(
      z.strictObject({
        type: z.literal('reply'),
        reply: z.strictObject({ id: trimmed(limits.BUTTON_ID_MAX), title: visibleText(limits.BUTTON_TITLE_MAX) }),
      }),
    )
    .min(1)
    .max(limits.BUTTONS_MAX)
    .meta({ description: 'One to three buttons with different ids and titles.' }),
})

const row = z.strictObject({
  id: trimmed(limits.ROW_ID_MAX),
  title: visibleText(limits.ROW_TITLE_MAX),
  description: textSchema(limits.ROW_DESCRIPTION_MAX).optional(),
})

const severalNeedTitles = publishedRule(
  { minItems: 2 },
  { items: { properties: { title: { minLength: 1 } }, required: ['title'] } },
)

const listAction = z.strictObject({
  button: visibleText(limits.BUTTON_TITLE_MAX).meta({ description: 'The label of the button that opens the list.' }),
  sections: z
    .array(z.strictObject({ title: sectionTitle, rows: z.array(row).min(1).max(limits.ROWS_MAX) }))
    .min(1)
    .max(limits.SECTIONS_MAX)
    .meta({
      description: 'At most ten rows in all sections together, with different ids. Several sections need titles.',
      ...severalNeedTitles,
    }),
})

const urlAction = (link: z.ZodType<string, string>) =>
  z.strictObject({
    name: z.literal('cta_url'),
    parameters: z.strictObject({ display_text: visibleText(limits.URL_LABEL_MAX), url: link }),
  })

const flowAction = z.strictObject({
  name: z.literal('flow'),
  parameters: z
    .strictObject({
      flow_message_version: z.literal('3'),
      flow_id: reference.optional(),
      flow_name: reference.optional(),
      flow_cta: textSchema(limits.FLOW_LABEL_MAX, 1)
        .regex(limits.NO_EMOJI_PATTERN, limits.NO_EMOJI_SAYS)
        // Without the emoji beyond the basic plane: not every reader of patterns can say them.
        .meta({ pattern: '^[^\\u0000\\u2600-\\u27bf]*$' }),
      flow_token: reference.optional(),
      flow_action: z.enum(['navigate', 'data_exchange']).optional(),
      flow_action_payload: z.strictObject({ screen: reference.optional(), data: anyMembers().optional() }).optional(),
      mode: z.enum(['draft', 'published']).optional(),
    })
    .meta({ oneOf: [{ required: ['flow_id'] }, { required: ['flow_name'] }] }),
})

/** Handed on as it is. */
function anyMembers() {
  return z.record(z.string().max(200), z.unknown()).meta({ maxProperties: 200 })
}

const productAction = z.strictObject({ catalog_id: reference, product_retailer_id: reference })

const productItem = z.strictObject({ product_retailer_id: reference })
const productListAction = z.strictObject({
  catalog_id: reference,
  sections: z
    .array(z.strictObject({ title: sectionTitle, product_items: z.array(productItem).min(1).max(limits.PRODUCTS_MAX) }))
    .min(1)
    .max(limits.SECTIONS_MAX)
    .meta({
      description: 'At most thirty products in all sections together. Several sections need titles.',
      ...severalNeedTitles,
    }),
})

const catalogAction = z.strictObject({
  name: z.literal('catalog_message'),
  parameters: z.strictObject({ thumbnail_product_retailer_id: reference.optional() }).optional(),
})

const orderAction = <Name extends string>(name: Name) =>
  z.strictObject({
    name: z.literal(name),
    parameters: z.looseObject({ reference_id: reference }).meta({ maxProperties: 50 }),
  })

const cardsAction = z.strictObject({ cards: z.array(anyMembers()).min(limits.CARDS_MIN).max(limits.CARDS_MAX) })

const openAction = <Name extends string>(name: Name) =>
  z.strictObject({ name: z.literal(name), parameters: anyMembers().optional() })

type Media = z.ZodType

const anyHeader = (media: Media) =>
  z
    .discriminatedUnion('type', [
      textHeader,
      z.strictObject({ type: z.literal('image'), image: media }).meta({ id: 'InteractiveImageHeader' }),
      z.strictObject({ type: z.literal('video'), video: media }).meta({ id: 'InteractiveVideoHeader' }),
      z.strictObject({ type: z.literal('document'), document: media }).meta({ id: 'InteractiveDocumentHeader' }),
    ])
    .meta({ id: 'InteractiveHeader', description: 'A line of text or a file.' })

/** Each has a separate name: generated clients number schemas without one. */
const kind = <Type extends (typeof limits.INTERACTIVE_TYPES)[number], Shape extends z.ZodRawShape>(
  type: Type,
  shape: Shape,
) =>
  z
    .strictObject({ type: z.literal(type), ...shape } as { type: z.ZodLiteral<Type> } & Shape)
    .meta({ id: `Interactive${pascalCase(type)}` })

export function interactiveRequest(media: Media, link: z.ZodType<string, string>) {
  const header = anyHeader(media)
  const listBody = bodyOf(limits.LIST_BODY_TEXT_MAX).meta({ id: 'InteractiveListBody' })
  return z
    .discriminatedUnion(
      'type',
      [
        kind('button', { header: header.optional(), body, footer, action: replyButtons }),
        kind('list', { header: textHeader.optional(), body: listBody, footer, action: listAction }),
        kind('cta_url', { header: header.optional(), body, footer, action: urlAction(link) }),
        kind('location_request_message', {
          body,
          footer,
          action: z.strictObject({ name: z.literal('send_location') }),
        }),
        kind('flow', { header: header.optional(), body, footer, action: flowAction }),
        kind('product', { body: body.optional(), footer, action: productAction }),
        kind('product_list', { header: textHeader, body, footer, action: productListAction }),
        kind('catalog_message', { body, footer, action: catalogAction }),
        kind('order_details', { header: header.optional(), body, footer, action: orderAction('review_and_pay') }),
        kind('order_status', { body, footer, action: orderAction('review_order') }),
        kind('carousel', { body, footer, action: cardsAction }),
        kind('address_message', {
          header: header.optional(),
          body,
          footer,
          action: z.strictObject({ name: z.literal('address_message'), parameters: anyMembers() }),
        }),
        kind('call_permission_request', {
          body: body.optional(),
          footer,
          action: openAction('call_permission_request'),
        }),
        kind('voice_call', { header: header.optional(), body, footer, action: openAction('voice_call') }),
        kind('request_contact_info', { body, footer, action: openAction('request_contact_info') }),
      ],
      { error: (issue) => (issue.code === 'invalid_union' ? TYPE_SAYS : undefined) },
    )
    .meta({ id: 'NewInteractive', description: 'A message with buttons, a list or other choices.' })
}

const TYPE_SAYS = `This must be one of: ${limits.INTERACTIVE_TYPES.join(', ')}.`
