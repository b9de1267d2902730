import { z } from 'zod'
import { pascalCase } from '../../platform/http/openapi/openapi-errors.ts'
import { textSchema } from '../../platform/http/schemas.ts'
import * as limits from './template-limits.ts'

/** Templates as requests give them, in WhatsApp's own shapes or shorter, each with a name for the clients that are generated. */
const value = textSchema(limits.PARAMETER_TEXT_MAX, 1)
const parameterName = textSchema(limits.PARAMETER_NAME_MAX, 1)
  .optional()
  .meta({ description: 'Only for templates with named placeholders; otherwise the order decides.' })

const parameter = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z
    .strictObject({ type: z.literal(type), ...shape } as { type: z.ZodLiteral<Type> } & Shape)
    .meta({ id: `Template${pascalCase(type)}Parameter` })

const textParameter = parameter('text', { text: value, parameter_name: parameterName })

const currencyParameter = parameter('currency', {
  currency: z.strictObject({
    fallback_value: value,
    code: textSchema(3, 3),
    amount_1000: z.int().min(0).max(Number.MAX_SAFE_INTEGER),
  }),
  parameter_name: parameterName,
})

const dateParameter = parameter('date_time', {
  date_time: z.looseObject({ fallback_value: value }).meta({ maxProperties: 20 }),
  parameter_name: parameterName,
})

const bodyComponent = z
  .strictObject({
    type: z.literal('body'),
    parameters: z
      .array(z.discriminatedUnion('type', [textParameter, currencyParameter, dateParameter]))
      .max(limits.PARAMETERS_MAX)
      .optional(),
  })
  .meta({ id: 'TemplateBody' })

const index = z
  .string()
  .max(1)
  .regex(limits.BUTTON_INDEX_PATTERN, limits.BUTTON_INDEX_SAYS)
  .meta({ description: 'The position of the button, from 0.' })

const button = <SubType extends string, Parameter extends z.ZodType>(subType: SubType, given: Parameter) =>
  z
    .strictObject({
      type: z.literal('button'),
      sub_type: z.literal(subType),
      index,
      parameters: z.array(given).max(limits.PARAMETERS_MAX).optional(),
    })
    .meta({ id: `Template${pascalCase(subType)}Button` })

const actionParameter = parameter('action', {
  action: z.record(z.string().max(200), z.unknown()).meta({ maxProperties: 50 }),
})

const openParameters = z.record(z.string().max(200), z.unknown()).meta({ maxProperties: 20 })

const buttonComponent = z
  .discriminatedUnion('sub_type', [
    button('quick_reply', parameter('payload', { payload: value })),
    button('url', textParameter),
    button('copy_code', parameter('coupon_code', { coupon_code: value })),
    button('flow', actionParameter),
    button('catalog', actionParameter),
    button('mpm', actionParameter),
    ...limits.OPEN_BUTTONS.map((subType) => button(subType, openParameters)),
  ])
  .meta({ id: 'TemplateButton' })

const openComponent = <Type extends string>(type: Type) =>
  z
    .strictObject({
      type: z.literal(type),
      parameters: z.array(openParameters).max(limits.PARAMETERS_MAX).optional(),
    })
    .meta({ id: `Template${pascalCase(type)}` })

type HeaderSources = { media: z.ZodType; document: z.ZodType; location: z.ZodType }

const headerComponent = ({ media, document, location }: HeaderSources) =>
  z
    .strictObject({
      type: z.literal('header'),
      parameters: z
        .array(
          z.discriminatedUnion('type', [
            textParameter,
            parameter('image', { image: media }),
            parameter('video', { video: media }),
            parameter('document', { document }),
            parameter('location', { location }),
            parameter('product', { product: openParameters }),
            currencyParameter,
            dateParameter,
          ]),
        )
        .max(limits.PARAMETERS_MAX)
        .optional(),
    })
    .meta({ id: 'TemplateHeader' })

type Component = { type: string }
type TemplateInput = {
  name: string
  language: string | { code: string; policy?: string | undefined }
  variables?: readonly string[] | Readonly<Record<string, string>> | undefined
  components?: readonly Component[] | undefined
}

/** The short forms written out: what is stored and sent has Meta's shape. Variables come last, so that positions stay. */
export function writeOutTemplate({ name, language, variables, components }: TemplateInput) {
  const body = variables === undefined ? [] : [{ type: 'body', parameters: parametersOf(variables) }]
  const all = [...(components ?? []), ...body]
  return {
    name,
    language: typeof language === 'string' ? { code: language } : language,
    ...((components !== undefined || variables !== undefined) && { components: all }),
  }
}

const parametersOf = (variables: NonNullable<TemplateInput['variables']>) =>
  isList(variables)
    ? variables.map((text) => ({ type: 'text', text }))
    : Object.entries(variables).map(([parameter_name, text]) => ({ type: 'text', parameter_name, text }))

const isList = (variables: NonNullable<TemplateInput['variables']>): variables is readonly string[] =>
  Array.isArray(variables)

/** Whether the body is filled twice: by variables and by a component. */
export const fillsBodyTwice = ({ variables, components = [] }: TemplateInput): boolean =>
  variables !== undefined && components.some(({ type }) => type === 'body')

const languageCode = z.string().max(limits.LANGUAGE_MAX).regex(limits.LANGUAGE_PATTERN, limits.LANGUAGE_SAYS)

export function templateRequest(sources: HeaderSources) {
  const header = headerComponent(sources)
  const card = z
    .strictObject({
      card_index: z
        .int()
        .min(0)
        .max(limits.CARDS_MAX - 1)
        .optional(),
      components: z
        .array(z.discriminatedUnion('type', [header, bodyComponent, buttonComponent]))
        .max(limits.COMPONENTS_MAX),
    })
    .meta({ id: 'TemplateCard' })
  const carousel = z
    .strictObject({ type: z.literal('carousel'), cards: z.array(card).min(1).max(limits.CARDS_MAX) })
    .meta({ id: 'TemplateCarousel' })
  return z
    .strictObject({
      name: z
        .string()
        .min(1)
        .max(limits.TEMPLATE_NAME_MAX)
        .regex(limits.TEMPLATE_NAME_PATTERN, limits.TEMPLATE_NAME_SAYS),
      language: z
        .union([
          languageCode,
          z
            .strictObject({ code: languageCode, policy: z.literal('deterministic').optional() })
            .meta({ id: 'TemplateLanguage' }),
        ])
        .meta({ description: 'The code alone, such as `id`, or as Meta writes it.' }),
      variables: z
        .union([
          z.array(value).max(limits.PARAMETERS_MAX),
          z.record(textSchema(limits.PARAMETER_NAME_MAX, 1), value).meta({ maxProperties: limits.PARAMETERS_MAX }),
        ])
        .optional()
        .meta({
          description:
            'Fills the variables of the body: a list in their order, or an object by their names. Short for a `body` component of texts.',
        }),
      components: z
        .array(
          z.discriminatedUnion('type', [
            header,
            bodyComponent,
            buttonComponent,
            carousel,
            openComponent('limited_time_offer'),
            openComponent('tap_target_configuration'),
          ]),
        )
        .max(limits.COMPONENTS_MAX)
        .optional(),
    })
    .meta({ id: 'NewTemplateContent', description: 'The name and language of a template, and its parameters.' })
}
