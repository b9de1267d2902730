import { isRecord } from '../../kernel/records.ts'
import { all, type Check, choice, list, object, text } from './content-checks.ts'

/** Templates: messages that were approved beforehand, with their blanks filled in. */
export const TEMPLATE_NAME_MAX = 512
export const TEMPLATE_NAME_PATTERN = /^[a-z0-9_]+$/
export const TEMPLATE_NAME_SAYS = 'The name of a template has lower-case letters, digits and underscores only.'
export const LANGUAGE_PATTERN = /^[A-Za-z]{2,3}(?:[_-][A-Za-z0-9]{2,4}){0,2}$/
export const LANGUAGE_SAYS = 'This must be a language such as id or en_US.'
export const LANGUAGE_MAX = 20
export const COMPONENTS_MAX = 20
export const PARAMETERS_MAX = 100
export const PARAMETER_TEXT_MAX = 32_768
export const PARAMETER_NAME_MAX = 100
export const CARDS_MAX = 10
export const BUTTON_INDEX_PATTERN = /^[0-9]$/
export const BUTTON_INDEX_SAYS = 'This must be the position of the button, "0" to "9".'

/** What a button does decides which kind of parameter it takes. */
export const BUTTON_PARAMETERS = {
  quick_reply: 'payload',
  url: 'text',
  copy_code: 'coupon_code',
  flow: 'action',
  catalog: 'action',
  mpm: 'action',
} as const

/** Buttons that the network knows as well; what they take is its affair. */
export const OPEN_BUTTONS = ['otp', 'order_details', 'spm', 'voice_call'] as const

/** A space stands for no value: Meta takes it, and refuses an empty text. */
const value = text({ max: PARAMETER_TEXT_MAX, mayBeBlank: true })
const name = text({ max: PARAMETER_NAME_MAX, mayBeBlank: true })
const named = { parameter_name: name }

const textParameter = object({ required: { text: value }, optional: named })
const fallback = { fallback_value: value }
const currencyParameter = object({
  required: { currency: object({ required: { ...fallback, code: text({ max: 3, min: 3, mayBeBlank: true }) } }) },
  optional: named,
})
const dateParameter = object({ required: { date_time: object({ required: fallback }) }, optional: named })

const buttonParameters: Record<string, Check> = {
  payload: object({ required: { payload: value } }),
  text: textParameter,
  coupon_code: object({ required: { coupon_code: value } }),
  action: object({ required: { action: object({}) } }),
}

const parameters = (of: Check) => list({ max: PARAMETERS_MAX, of })

/** Spelled in capitals by some clients. */
const lowerCase = (member: unknown) => (typeof member === 'string' ? member.toLowerCase() : member)

const buttonCheck: Check = all(
  object({
    required: {
      sub_type: (subType, path, report) => {
        const allowed = [...Object.keys(BUTTON_PARAMETERS), ...OPEN_BUTTONS]
        if (allowed.includes(lowerCase(subType) as string)) return
        report(path, 'not_allowed', `This must be one of: ${allowed.join(', ')}.`, { allowed })
      },
      index: text({ max: 1, pattern: BUTTON_INDEX_PATTERN, says: BUTTON_INDEX_SAYS }),
    },
  }),
  (component, path, report) => {
    if (!isRecord(component)) return
    const kind = BUTTON_PARAMETERS[lowerCase(component.sub_type) as keyof typeof BUTTON_PARAMETERS]
    if (kind === undefined) return
    const check = object({
      optional: { parameters: parameters(choice('type', { [kind]: buttonParameters[kind] as Check })) },
    })
    check(component, path, report)
  },
)

const openComponent = object({ optional: { parameters: parameters(object({})) } })

/** Component names too come in both cases. */
const byLowerCaseType =
  (check: Check): Check =>
  (component, path, report) =>
    check(isRecord(component) ? { ...component, type: lowerCase(component.type) } : component, path, report)

type HeaderChecks = { media: Check; document: Check; location: Check }

export function templateCheck({ media, document, location }: HeaderChecks): Check {
  const headerParameter = choice('type', {
    text: textParameter,
    image: object({ required: { image: media } }),
    video: object({ required: { video: media } }),
    document: object({ required: { document } }),
    location: object({ required: { location } }),
    product: object({ required: { product: object({}) } }),
    currency: currencyParameter,
    date_time: dateParameter,
  })
  const bodyParameter = choice('type', { text: textParameter, currency: currencyParameter, date_time: dateParameter })
  const plain = {
    header: object({ optional: { parameters: parameters(headerParameter) } }),
    body: object({ optional: { parameters: parameters(bodyParameter) } }),
    button: buttonCheck,
  }
  const card = object({
    required: { components: list({ max: COMPONENTS_MAX, of: byLowerCaseType(choice('type', plain)) }) },
  })
  const component = byLowerCaseType(
    choice('type', {
      ...plain,
      footer: object({}),
      carousel: object({ required: { cards: list({ min: 1, max: CARDS_MAX, of: card }) } }),
      limited_time_offer: openComponent,
      tap_target_configuration: openComponent,
    }),
  )
  return object({
    required: {
      name: text({ max: TEMPLATE_NAME_MAX, pattern: TEMPLATE_NAME_PATTERN, says: TEMPLATE_NAME_SAYS }),
      language: object({
        required: { code: text({ max: LANGUAGE_MAX, pattern: LANGUAGE_PATTERN, says: LANGUAGE_SAYS }) },
      }),
    },
    optional: { components: list({ max: COMPONENTS_MAX, of: component }) },
  })
}
