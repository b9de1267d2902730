import { z } from 'zod'
import {
  FILTER_FORM_SAYS,
  filterForm,
  publishedFilters,
  refuseUnknownFilters,
  refuseUnknownKeys,
} from '../../events/events.ts'
import { BEYOND_SCHEMA } from '../../platform/http/pipeline/validation.ts'
import { textSchema } from '../../platform/http/schemas.ts'
import { URL_FORM, URL_LENGTH_MAX } from '../../platform/outbound-http/egress.ts'
import { HEADER_NAME, HEADER_VALUE } from '../../platform/outbound-http/outbound-client.ts'
import { CUSTOM_HEADERS_MAX, checkCustomHeaders, HEADER_FORM_PROBLEMS } from './custom-headers.ts'
import { PATH_FORM, PATHS_MAX, VALUES_MAX } from './payload-filter.ts'

/** The fields of an endpoint, each with its limits. */
export const urlSchema = z
  .string()
  .min(1)
  .max(URL_LENGTH_MAX)
  .regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\//, 'The URL must begin with https://.')
  .meta({
    format: 'uri',
    description: 'The URL that receives events: public, https, without user name or fragment.',
    pattern: URL_FORM.source,
  })

export const filterSchema = z.string().min(1).max(100).regex(filterForm, FILTER_FORM_SAYS)

export const filtersSchema = z
  .array(filterSchema.meta(publishedFilters))
  .min(1)
  .max(100)
  .superRefine(refuseUnknownFilters)
  .meta({ description: 'Event types: names, all of a resource as `order.*`, or `*` for all.' })

const PATH_SAYS =
  'This must be a path into the event such as data.payment.method, beginning with data, previous or actor.'

export const payloadFilterSchema = z
  .record(z.string().max(600).meta({ pattern: PATH_FORM.source }), z.array(textSchema(500)).min(1).max(VALUES_MAX))
  .superRefine((filter, context) => {
    const paths = Object.keys(filter)
    for (const path of paths.filter((one) => !PATH_FORM.test(one)))
      context.addIssue({ code: 'custom', path: [path], message: PATH_SAYS, params: { code: 'invalid_path' } })
    if (paths.length <= PATHS_MAX) return
    const message = `Give at most ${PATHS_MAX} paths.`
    context.addIssue({ code: 'custom', message, params: { code: 'too_many' } })
  })
  .meta({
    maxProperties: PATHS_MAX,
    description:
      'Only events whose payload matches: dotted paths, each with the values it may have, compared as text. All paths must match; in a list, any item. Null or empty for all events.',
  })

export const headersSchema = z
  .record(
    z.string().max(256).meta({ pattern: HEADER_NAME.source }),
    textSchema(4096).meta({ pattern: HEADER_VALUE.source }),
  )
  .superRefine((headers, context) => {
    const check = checkCustomHeaders(headers)
    if (check.ok) return
    const path = check.header === undefined ? [] : [check.header]
    const line = HEADER_FORM_PROBLEMS.includes(check.code) ? {} : BEYOND_SCHEMA
    context.addIssue({ code: 'custom', path, message: check.says, params: { code: check.code, ...line } })
  })
  .meta({
    maxProperties: CUSTOM_HEADERS_MAX,
    description: 'Headers sent with every attempt, for example an authorization. Stored encrypted, shown masked.',
  })

const PEM = /^-----BEGIN [A-Z0-9 ]+-----/
const pemSchema = z.string().max(32_768).regex(PEM, 'This must be in PEM form.')

export const tlsSchema = z
  .strictObject({
    ca: pemSchema.optional().meta({ description: 'Additional certificate authorities to trust.' }),
    client_certificate: pemSchema.optional(),
    client_key: pemSchema.optional(),
  })
  .superRefine(({ client_certificate, client_key }, context) => {
    if ((client_certificate === undefined) === (client_key === undefined)) return
    const name = client_key === undefined ? 'client_key' : 'client_certificate'
    context.addIssue({
      code: 'custom',
      path: [name],
      message: 'A client certificate needs its key. Send both.',
      params: { code: 'required' },
    })
  })
  .meta({
    id: 'WebhookTls',
    description:
      'Additional certificate authorities, and a client certificate with its key. Stored encrypted, never shown.',
    dependentRequired: { client_certificate: ['client_key'], client_key: ['client_certificate'] },
  })

export const delaysSchema = z.array(z.int().min(1).max(86_400)).max(20)

export const DELAYS_BY_EVENT_MAX = 50

export const delaysByEventSchema = z
  .record(filterSchema.meta(publishedFilters), delaysSchema)
  .superRefine((delays, context) => {
    refuseUnknownKeys(delays, context)
    if (Object.keys(delays).length <= DELAYS_BY_EVENT_MAX) return
    const message = `Give waits for at most ${DELAYS_BY_EVENT_MAX} events.`
    context.addIssue({ code: 'custom', message, params: { code: 'too_many' } })
  })
  .meta({
    maxProperties: DELAYS_BY_EVENT_MAX,
    description:
      'Custom retry schedules by event type or `order.*`; the most specific name applies. An empty list means one attempt.',
  })

/** Sent in a URL and compared by the receiver: one line of plain characters. */
const VERIFY_TOKEN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/
export const verifyTokenSchema = z
  .string()
  .min(1)
  .max(256)
  .regex(VERIFY_TOKEN, 'This must be one line of plain characters.')
  .meta({
    description:
      'For `whatsapp_cloud`: the token that your callback expects in `hub.verify_token`. Stored encrypted, never shown.',
  })

const LINE = '^(?:[^\\s\\u0000]| )+$'
export const numberSchema = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[\S ]+$/)
  .meta({
    pattern: LINE,
    description:
      'For `whatsapp_cloud`: only events of this business number, by its id, its `phone_number_id` or its phone. Null for all numbers.',
  })

export const formatSchema = z.enum(['standard', 'whatsapp_cloud']).meta({
  description:
    '`standard` follows Standard Webhooks. `whatsapp_cloud` sends messages and statuses as Meta’s Cloud API does, signed with `X-Hub-Signature-256`, after a handshake with `verify_token`. It cannot be changed.',
})
