import { z } from 'zod'
import type { ChannelTemplate, ManagementCall } from '../../channels/channel-connector.ts'
import type { Channels } from '../../channels/channels.ts'
import { mediaNotFound } from '../../channels/media/media.errors.ts'
import { type MediaContext, readMedia } from '../../channels/media/media.ts'
import { numberMissing, numberNotFound } from '../../channels/numbers/numbers.errors.ts'
import type { NumberDirectory, NumberEntry, OpenedNumber } from '../../channels/numbers/numbers.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { isRecord } from '../../kernel/records.ts'
import { templateNotFound } from '../../messaging/messaging.errors.ts'
import { defineList } from '../../platform/http/define-list.ts'
import { defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import { valueRefused } from '../../platform/http/http.errors.ts'
import { cursorParameter, idSchema, limitParameter, textSchema } from '../../platform/http/schemas.ts'
import { handOverFiles, isNamed } from './template-files.ts'
import { templateRefused, templatesUnavailable } from './templates.errors.ts'

/**
 * Templates by API. The network of a number keeps and approves them; nothing of them is stored here. A template is named by
 * its name and its language.
 */
export type TemplateRouteParts = {
  channels: Pick<Channels, 'numbers' | 'templates'>
  directory: Pick<NumberDirectory, 'find'>
  media: MediaContext
}

const TIMEOUT_MS = 30_000
const nameSchema = z
  .string()
  .min(1)
  .max(512)
  .regex(/^[a-z0-9_]+$/)
  .meta({ description: 'The name of the template.' })
const languageSchema = z
  .string()
  .max(12)
  .regex(/^[a-z]{2,3}(?:_[A-Z]{2})?$/)
  .meta({ description: 'Such as `id` or `en_US`.' })
const numberSchema = idSchema('num')
  .optional()
  .meta({ description: 'The business number; the default one if left out.' })
const Components = z
  .array(z.record(z.string().max(100), z.unknown()).meta({ maxProperties: 50 }))
  .max(20)
  .meta({
    description: 'The components as the network defines them: header, body, footer, buttons.',
  })

const Template = z
  .object({
    object: z.literal('template'),
    number_id: idSchema('num'),
    name: textSchema(512),
    language: textSchema(20),
    status: textSchema(40).meta({ description: '`approved`, `pending`, `rejected`, … in lower case.' }),
    category: textSchema(40).meta({ description: '`utility`, `marketing` or `authentication`.' }),
    components: Components,
  })
  .meta({ id: 'Template', description: 'A message template of a business number.' })

const NewTemplate = z
  .strictObject({
    number: numberSchema,
    name: nameSchema,
    language: languageSchema,
    category: z.enum(['utility', 'marketing', 'authentication']),
    components: Components.min(1).meta({
      description:
        'The components as the network defines them: header, body, footer, buttons. `header_handle` also takes the id of a file of `POST /media`.',
    }),
  })
  .meta({ id: 'NewTemplate', description: 'A template to be approved by the network.' })

// Without a variable, because a component with a type and an example looks like a schema to linters.
const components = [{ type: 'BODY', text: 'Pesanan Anda sudah siap diambil.' }]
const example: z.input<typeof Template> = {
  object: 'template',
  number_id: 'num_01kmz3v7n2e0a8tq9fj6hx5c4d',
  name: 'pickup_ready',
  language: 'id',
  status: 'approved',
  category: 'utility',
  components,
}
const params = z.object({ name: nameSchema, language: languageSchema })
const query = z.strictObject({ number: numberSchema })
const named = { params: { name: example.name, language: example.language } }
const shared = { tag: 'Templates' } as const
const errors = [numberNotFound, numberMissing, templatesUnavailable]

type Opened = { entry: NumberEntry; opened: OpenedNumber }

async function openNumber(
  { channels, directory }: TemplateRouteParts,
  orgId: OrgId,
  id: string | null,
): Promise<Opened> {
  const entry = await directory.find(orgId, id)
  const opened = entry === null || entry.state === 'disconnected' ? null : await channels.numbers.open(orgId, entry.id)
  if (entry !== null && opened !== null) return { entry, opened }
  throw id === null ? numberMissing() : numberNotFound({ params: { id } })
}

const present = ({ entry }: Opened, template: ChannelTemplate): z.input<typeof Template> => ({
  object: 'template',
  number_id: entry.id,
  name: template.name,
  language: template.language,
  status: template.status.toLowerCase(),
  category: template.category.toLowerCase(),
  components: template.components,
})

async function readTemplates({ opened }: Opened): Promise<ChannelTemplate[]> {
  const outcome = await opened.connector.listTemplates(opened.number, AbortSignal.timeout(TIMEOUT_MS))
  if (outcome.kind === 'done') return outcome.templates
  const { code, detail } = outcome.failure
  throw templatesUnavailable({ headers: { 'Retry-After': '5' }, params: { code, detail } })
}

async function getTemplate(from: Opened, { name, language }: { name: string; language: string }) {
  const found = (await readTemplates(from)).find((one) => one.name === name && one.language === language)
  if (found === undefined) throw templateNotFound({ params: { name, language } })
  return found
}

/** A call in the network's own form, about the templates of the account unless it names something else. */
async function manage(
  { entry, opened }: Opened,
  call: Pick<ManagementCall, 'method'> & Partial<ManagementCall>,
): Promise<Record<string, unknown>> {
  const { connector, number } = opened
  const place = { about: 'account' as const, objectId: entry.accountId, edge: 'message_templates', item: null }
  const asked = { query: {}, body: {}, ...place, ...call }
  const reply = await connector.manage?.(number, asked, AbortSignal.timeout(TIMEOUT_MS))
  if (reply === undefined) throw templateRefused({ params: { detail: 'This channel has no templates to manage.' } })
  if (reply.status < 300) return reply.body
  const error = isRecord(reply.body.error) ? reply.body.error : {}
  const data = isRecord(error.error_data) ? error.error_data : {}
  const says = [error.error_user_msg, data.details, error.message].find((text) => typeof text === 'string')
  const detail = String(says ?? 'The network gave no reason.').slice(0, 1000)
  if (reply.status >= 500)
    throw templatesUnavailable({ headers: { 'Retry-After': '5' }, params: { code: 'unavailable', detail } })
  throw templateRefused({ params: { provider_code: String(error.code ?? reply.status), detail } })
}

const compare = (one: string, other: string): number => Number(one > other) - Number(one < other)
const inOrder = (one: ChannelTemplate, other: ChannelTemplate): number =>
  compare(one.name, other.name) || compare(one.language, other.language)

export const templateRoutes = (parts: TemplateRouteParts): Route[] => [
  defineList({
    ...shared,
    id: 'listTemplates',
    path: '/templates',
    summary: 'List templates',
    description: 'The templates of a business number with their status at the network, by name and language.',
    access: key('settings:read'),
    query: z.strictObject({
      limit: limitParameter,
      cursor: cursorParameter,
      number: numberSchema,
      name: nameSchema.optional().meta({ description: 'Filter by name.' }),
    }),
    item: Template,
    errors,
    example: { query: { name: example.name }, items: [example] },
    list: 'templates',
    sort: 'name,language',
    async read({ caller: { orgId }, filters, limit, position }) {
      const from = await openNumber(parts, orgId, filters.number ?? null)
      const [name = '', language = ''] = (position ?? []).map(String)
      const isAfter = (one: ChannelTemplate) =>
        position === null || (compare(one.name, name) || compare(one.language, language)) > 0
      const isAsked = (one: ChannelTemplate) => filters.name === undefined || one.name === filters.name
      const found = (await readTemplates(from)).filter((one) => isAsked(one) && isAfter(one)).toSorted(inOrder)
      return found.slice(0, limit).map((template) => present(from, template))
    },
    place: ({ name, language }) => [name, language],
    present: (rows) => rows,
  }),
  defineRoute({
    ...shared,
    id: 'createTemplate',
    method: 'POST',
    path: '/templates',
    summary: 'Create a template',
    description:
      'Hands a template to the network of the number for approval. `template.updated` reports the result; the simulator approves at once.',
    access: key('settings:write'),
    // After a crash in between a repeat is refused by the network, because the name exists.
    idempotency: 'after',
    body: NewTemplate,
    reply: { status: 201, body: Template },
    location: ({ name, language }) => `/templates/${name}/${language}`,
    errors: [...errors, mediaNotFound, templateRefused, valueRefused],
    example: { body: { name: example.name, language: 'id', category: 'utility', components }, reply: example },
    async handle({ caller: { orgId }, body: { number, ...template } }) {
      const from = await openNumber(parts, orgId, number ?? null)
      const category = template.category.toUpperCase()
      const files = { read: (id: string) => readMedia(parts.media, orgId, id), manage: manage.bind(null, from) }
      const given = await handOverFiles(files, template.components)
      const format = isNamed(given) ? { parameter_format: 'NAMED' } : {}
      const reply = await manage(from, {
        method: 'POST',
        body: { ...template, ...format, category, components: given },
      })
      await parts.channels.templates.refresh({ ...from.entry, orgId })
      const stated = { status: String(reply.status ?? 'PENDING'), category: String(reply.category ?? category) }
      return present(from, { ...template, ...stated, components: given })
    },
  }),
  defineRoute({
    ...shared,
    id: 'getTemplate',
    method: 'GET',
    path: '/templates/{name}/{language}',
    summary: 'Get a template',
    description: 'Returns one template with its status at the network.',
    access: key('settings:read'),
    params,
    query,
    reply: { status: 200, body: Template },
    errors: [...errors, templateNotFound],
    example: { ...named, reply: example },
    async handle({ caller: { orgId }, params: place, query: { number } }) {
      const from = await openNumber(parts, orgId, number ?? null)
      return present(from, await getTemplate(from, place))
    },
  }),
  defineRoute({
    ...shared,
    id: 'deleteTemplate',
    method: 'DELETE',
    path: '/templates/{name}',
    summary: 'Delete a template',
    description:
      'Deletes a template at the network: in one `language`, or in all. Messages that were sent with it stay.',
    access: key('settings:write'),
    params: z.object({ name: nameSchema }),
    query: z.strictObject({
      number: numberSchema,
      language: languageSchema.optional().meta({ description: 'Only this language, such as `id`.' }),
    }),
    reply: { status: 204, body: null },
    errors: [...errors, templateNotFound, templateRefused],
    example: { params: { name: example.name }, query: { language: 'id' }, reply: undefined },
    async handle({ caller: { orgId }, params: { name }, query: { number, language } }) {
      const from = await openNumber(parts, orgId, number ?? null)
      const { data } = await manage(from, { method: 'GET', query: { name, fields: 'id,name,language' } })
      const listed = Array.isArray(data) ? data.filter(isRecord) : []
      const found = listed.find((one) => one.name === name && (language === undefined || one.language === language))
      if (found === undefined) throw templateNotFound({ params: { name, language } })
      const one: Record<string, string> = language === undefined ? {} : { hsm_id: String(found.id) }
      await manage(from, { method: 'DELETE', query: { name, ...one } })
      await parts.channels.templates.refresh({ ...from.entry, orgId })
      return undefined
    },
  }),
]
