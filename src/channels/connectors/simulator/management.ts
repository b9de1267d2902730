import { createHash, randomBytes } from 'node:crypto'
import type { OrgId } from '../../../kernel/ids.ts'
import { isRecord } from '../../../kernel/records.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { ChannelNumber, ChannelTemplate, ManagementCall, ManagementReply } from '../../channel-connector.ts'
import type { TemplateContent } from '../../content/content.ts'
import { type Call, done, type ManagementOptions, refuse, textOf } from './management-replies.ts'
import { deleteObject, insertObject, listObjects, type ObjectRow, putObject } from './simulator.sql.ts'
import { BLOCKED } from './standings.ts'
import { simulatorTemplates } from './templates.ts'
import { beginUpload, continueUpload } from './uploads.ts'

/**
 * The management side of the simulated network: what clients of the Cloud API call besides sending. Answers have Graph's shapes
 * and refusals its codes, so that a program that manages its number runs against the simulator as it does against Meta.
 *
 * Reviews of templates follow their names: one that contains `rejected` is rejected, one that contains `pending` stays in
 * review, and every other is approved at once.
 */
type Handler = (options: ManagementOptions, call: Call) => Promise<ManagementReply> | ManagementReply

const SUCCESS = done({ success: true })
const succeed: Handler = () => SUCCESS

const HANDLERS: Record<string, Handler> = {
  'GET whatsapp_business_profile': getProfile,
  'POST whatsapp_business_profile': setProfile,
  'GET whatsapp_commerce_settings': (_, { number }) =>
    done({ data: [{ id: number.phoneNumberId, is_catalog_visible: false, is_cart_enabled: true }] }),
  'POST whatsapp_commerce_settings': succeed,
  'POST register': (_, { body }) =>
    /^\d{6}$/.test(String(body.pin)) ? SUCCESS : refuse('Param pin must be six digits.', { code: 133005 }),
  'POST deregister': succeed,
  'POST request_code': (_, { body }) =>
    ['SMS', 'VOICE'].includes(String(body.code_method).toUpperCase())
      ? SUCCESS
      : refuse('Param code_method must be one of {SMS, VOICE}'),
  'POST verify_code': (_, { body }) =>
    /^\d{3}-?\d{3}$/.test(String(body.code)) && String(body.code) !== WRONG_CODE
      ? SUCCESS
      : refuse('Verify code error. The code is wrong.', { code: 136025 }),
  'GET block_users': listBlocked,
  'POST block_users': (options, call) => changeBlocked(options, call, 'added_users'),
  'DELETE block_users': (options, call) => changeBlocked(options, call, 'removed_users'),
  'GET message_qrdls': listCodes,
  'POST message_qrdls': putCode,
  'DELETE message_qrdls': deleteCode,
  'GET flows': () => done({ data: [], paging: {} }),
  'GET message_templates': getTemplates,
  'POST message_templates': createTemplate,
  'DELETE message_templates': deleteTemplates,
  'POST uploads': beginUpload,
}

/** Objects without an edge. */
const OBJECTS: Partial<Record<ManagementCall['about'], Handler>> = { template: editTemplate, upload: continueUpload }

/** The one code that the simulated network refuses. */
const WRONG_CODE = '000000'

export async function manage(
  options: ManagementOptions,
  number: ChannelNumber,
  call: ManagementCall,
): Promise<ManagementReply> {
  const handle = OBJECTS[call.about] ?? HANDLERS[`${call.method} ${call.edge}`]
  return handle === undefined
    ? refuse(`Unsupported ${call.method.toLowerCase()} request.`)
    : handle(options, { ...call, number })
}

/** What a number has, and with an empty name what the whole account has. */
const placeOf = ({ number, about }: Call) => ({ orgId: number.orgId, numberId: about === 'number' ? number.id : '' })

/** Members that `fields` names, and the id; all of them without `fields`. */
const chosen = (object: Record<string, unknown>, { query }: Call): Record<string, unknown> => {
  const fields = query.fields?.split(',').map((field) => field.replace(/[{(].*$/, '').trim())
  return fields === undefined
    ? object
    : Object.fromEntries(Object.entries(object).filter(([name]) => name === 'id' || fields.includes(name)))
}

const PAGE_MAX = 1000
const PAGE_DEFAULT = 25

/** A page with cursors as Graph writes them: positions in base 64, and `next` only while there is more. */
function page(all: readonly Record<string, unknown>[], call: Call): ManagementReply {
  const { limit, after } = call.query
  const size = Math.min(Math.max(Number(limit) || PAGE_DEFAULT, 1), PAGE_MAX)
  const position = after === undefined ? '0' : Buffer.from(after, 'base64url').toString()
  const from = Number(position)
  if (!/^\d{1,9}$/.test(position)) return refuse('Param after must be a cursor of an earlier page.')
  const data = all.slice(from, from + size).map((object) => chosen(object, call))
  const end = from + data.length
  const cursors = { before: cursorOf(from), after: cursorOf(end) }
  return done({ data, paging: data.length === 0 ? {} : { cursors, ...(end < all.length && { next: cursors.after }) } })
}

const cursorOf = (position: number) => Buffer.from(String(position)).toString('base64url')

const PROFILE_TEXTS: Record<string, number> = { about: 139, address: 256, description: 512, email: 128, vertical: 64 }
const PROFILE = 'profile'

async function getProfile({ database }: ManagementOptions, call: Call): Promise<ManagementReply> {
  const [row] = await listObjects(database, { ...placeOf(call), kind: PROFILE })
  const profile = { vertical: 'UNDEFINED', ...row?.value }
  return done({ data: [{ ...chosen(profile, call), messaging_product: 'whatsapp' }] })
}

async function setProfile({ database, clock }: ManagementOptions, call: Call): Promise<ManagementReply> {
  const { messaging_product: _, profile_picture_handle: __, ...given } = call.body
  for (const [name, value] of Object.entries(given)) {
    const max = PROFILE_TEXTS[name]
    if (name === 'websites') {
      if (!Array.isArray(value) || value.length > 2 || value.some((url) => !URL.canParse(String(url))))
        return refuse('Param websites must be a list of at most 2 addresses.')
    } else if (max === undefined) return refuse(`Param ${name} is not a field of the business profile.`)
    else if (typeof value !== 'string' || [...value].length > max)
      return refuse(`Param ${name} must be a text of at most ${max} characters.`)
  }
  const place = { ...placeOf(call), kind: PROFILE }
  const [before] = await listObjects(database, place)
  await putObject(database, place, { id: PROFILE, value: { ...before?.value, ...given }, now: new Date(clock.now()) })
  return SUCCESS
}

const BLOCKED_MAX = 1000

async function listBlocked({ database }: ManagementOptions, call: Call): Promise<ManagementReply> {
  const rows = await listObjects(database, { ...placeOf(call), kind: BLOCKED })
  return page(
    rows.map(({ id }) => ({ messaging_product: 'whatsapp', input: id, wa_id: id })),
    call,
  )
}

async function changeBlocked(
  { database, clock }: ManagementOptions,
  call: Call,
  verb: 'added_users' | 'removed_users',
): Promise<ManagementReply> {
  const { block_users: given } = call.body
  if (!Array.isArray(given) || given.length === 0 || given.length > BLOCKED_MAX)
    return refuse(`Param block_users must be a list of 1 to ${BLOCKED_MAX} users.`)
  const place = { ...placeOf(call), kind: BLOCKED }
  const users = given.map((one) => (isRecord(one) ? String(one.user ?? '') : String(one)))
  const changed = []
  for (const input of users) {
    const id = input.replaceAll(/\D/g, '')
    if (id.length < 5) return refuse(`Param block_users: "${input.slice(0, 40)}" is not a phone number.`)
    if (verb === 'added_users') await putObject(database, place, { id, value: {}, now: new Date(clock.now()) })
    else await deleteObject(database, place, id)
    changed.push({ input, wa_id: id })
  }
  return done({ messaging_product: 'whatsapp', block_users: { [verb]: changed } })
}

const CODE = 'qr_code'
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

const codeView = ({ number }: Call, { id, value }: ObjectRow) => ({
  code: id,
  prefilled_message: value.prefilled_message,
  deep_link_url: `https://wa.me/message/${id}`,
  ...(typeof value.format === 'string' && {
    qr_image_url: `https://scontent.example/${number.phoneNumberId}/${id}.${value.format.toLowerCase()}`,
  }),
})

async function listCodes({ database }: ManagementOptions, call: Call): Promise<ManagementReply> {
  const rows = await listObjects(database, { ...placeOf(call), kind: CODE })
  const wanted = call.item === null ? rows : rows.filter(({ id }) => id === call.item)
  return page(
    wanted.map((row) => codeView(call, row)),
    call,
  )
}

async function putCode({ database, clock }: ManagementOptions, call: Call): Promise<ManagementReply> {
  const { prefilled_message: text, generate_qr_image: format, code } = call.body
  if (textOf(text) === '' || [...textOf(text)].length > 140)
    return refuse('Param prefilled_message must be a text of 1 to 140 characters.')
  const id = textOf(code) || [...randomBytes(14)].map((byte) => LETTERS[byte & 31]).join('')
  const value = { prefilled_message: text, ...(textOf(format) !== '' && { format }) }
  await putObject(database, { ...placeOf(call), kind: CODE }, { id, value, now: new Date(clock.now()) })
  return done(codeView(call, { id, value }))
}

async function deleteCode({ database }: ManagementOptions, call: Call): Promise<ManagementReply> {
  const isDeleted = await deleteObject(database, { ...placeOf(call), kind: CODE }, call.item ?? '')
  return isDeleted ? SUCCESS : refuse('The QR code does not exist.')
}

const TEMPLATE = 'template'
const CATEGORIES = ['AUTHENTICATION', 'MARKETING', 'UTILITY']
const NAME = /^[a-z0-9_]{1,512}$/
const LANGUAGE = /^[a-z]{2,3}(?:_[A-Z]{2})?$/

type StoredTemplate = ChannelTemplate & { id: string; parameter_format: string; rejected_reason: string }

/** Clients ask for it of every template. */
const formatOf = (components: unknown) =>
  /\{\{[a-z_]\w*\}\}/i.test(JSON.stringify(components)) ? 'NAMED' : 'POSITIONAL'

/** Follows from name and language, so that two who create the same at once create one. Like all of Graph's ids, it is digits. */
const templateIdOf = (name: string, language: string) =>
  String(createHash('sha256').update(`${name} ${language}`).digest().readUIntBE(0, 6) + 1e15)

const builtIn: readonly StoredTemplate[] = simulatorTemplates.map((template) => ({
  id: templateIdOf(template.name, template.language),
  ...template,
  parameter_format: formatOf(template.components),
  rejected_reason: 'NONE',
}))

const readTemplate = ({ id, value }: ObjectRow): StoredTemplate => ({
  id,
  name: textOf(value.name),
  language: textOf(value.language),
  status: textOf(value.status),
  category: textOf(value.category),
  components: Array.isArray(value.components) ? value.components.filter(isRecord) : [],
  parameter_format: formatOf(value.components),
  rejected_reason: textOf(value.rejected_reason) || 'NONE',
})

/** The newest first, before those that every account has: clients exist that read the first page only. */
async function listStored(database: Database, orgId: OrgId): Promise<StoredTemplate[]> {
  const rows = await listObjects(database, { orgId, numberId: '', kind: TEMPLATE })
  return [...rows.map(readTemplate).reverse(), ...builtIn]
}

/** What can be sent: all numbers of an organization share one simulated account. */
export const listTemplates = async (database: Database, orgId: OrgId): Promise<ChannelTemplate[]> =>
  (await listStored(database, orgId)).map(({ name, language, status, category, components }) => ({
    ...{ name, language, status, category, components },
  }))

/** Null when the account of the number has no such template. */
export async function findTemplate(
  { database }: Pick<ManagementOptions, 'database'>,
  { orgId }: ChannelNumber,
  { name, language }: TemplateContent,
): Promise<ChannelTemplate | null> {
  const isNamed = (template: ChannelTemplate) => template.name === name && template.language === language.code
  return simulatorTemplates.find(isNamed) ?? (await listTemplates(database, orgId)).find(isNamed) ?? null
}

async function getTemplates({ database }: ManagementOptions, call: Call): Promise<ManagementReply> {
  const { name, status, category, language, name_or_content: words } = call.query
  const isListed = (wanted: string | undefined, value: string) =>
    wanted === undefined ||
    wanted
      .replaceAll(/[[\]"\s]/g, '')
      .toUpperCase()
      .split(',')
      .includes(value.toUpperCase())
  const all = await listStored(database, call.number.orgId)
  const found = all.filter(
    (template) =>
      (name === undefined || template.name === name) &&
      (words === undefined || JSON.stringify(template).toLowerCase().includes(words.toLowerCase())) &&
      isListed(status, template.status) &&
      isListed(category, template.category) &&
      isListed(language, template.language),
  )
  const { status: answered, body } = page(found, call)
  if (call.query.summary === undefined || answered !== 200) return { status: answered, body }
  const counts = {
    total_count: found.length,
    message_template_count: all.length,
    message_template_limit: TEMPLATES_MAX,
  }
  return done({ ...body, summary: { ...counts, are_translations_complete: false } })
}

/** What Meta allows an account. */
const TEMPLATES_MAX = 6000

const reviewOf = (name: string) =>
  name.includes('rejected')
    ? { status: 'REJECTED', rejected_reason: 'INVALID_FORMAT' }
    : { status: name.includes('pending') ? 'PENDING' : 'APPROVED', rejected_reason: 'NONE' }

/** Null when the components can be those of a template. */
function componentsProblem(components: unknown): string | null {
  if (!Array.isArray(components) || components.length === 0) return 'Param components must be a list of components.'
  const types = components.map((component) => (isRecord(component) ? textOf(component.type).toUpperCase() : ''))
  const unknown = types.find((type) => !COMPONENTS.includes(type))
  if (unknown !== undefined) return `Param components: "${unknown.slice(0, 40)}" is not a type of component.`
  return types.filter((type) => type === 'BODY').length === 1 ? null : 'Param components must have one BODY.'
}

const COMPONENTS = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER']

async function createTemplate({ database, clock }: ManagementOptions, call: Call): Promise<ManagementReply> {
  const { name, language, category, components } = call.body
  if (!NAME.test(textOf(name)))
    return refuse('Param name must have lower-case letters, digits and underscores only.', { subcode: 2388023 })
  if (!LANGUAGE.test(textOf(language))) return refuse('Param language must be a language such as id or en_US.')
  if (!CATEGORIES.includes(textOf(category).toUpperCase()))
    return refuse(`Param category must be one of {${CATEGORIES.join(', ')}}`)
  const problem = componentsProblem(components)
  if (problem !== null) return refuse(problem)
  const id = templateIdOf(textOf(name), textOf(language))
  const review = reviewOf(textOf(name))
  const value = { name, language, category: textOf(category).toUpperCase(), components, ...review }
  const place = { orgId: call.number.orgId, numberId: '', kind: TEMPLATE }
  const isNew =
    !builtIn.some((template) => template.id === id) &&
    (await insertObject(database, place, { id, value, now: new Date(clock.now()) }))
  if (!isNew) return refuse('Content in this language already exists for this template name.', { subcode: 2388024 })
  return done({ id, status: review.status, category: value.category })
}

async function editTemplate({ database, clock }: ManagementOptions, call: Call): Promise<ManagementReply> {
  const place = { orgId: call.number.orgId, numberId: '', kind: TEMPLATE }
  const row = (await listObjects(database, place)).find(({ id }) => id === call.objectId)
  const known = row === undefined ? builtIn.find(({ id }) => id === call.objectId) : readTemplate(row)
  if (known === undefined) return refuse('The template does not exist.', { subcode: 33 })
  if (call.method === 'GET') return done(chosen(known, call))
  if (row === undefined) return refuse('Built-in templates of the simulator cannot be edited. Create a new one.')
  const { components = known.components, category = known.category } = call.body
  const problem = componentsProblem(components)
  if (problem !== null) return refuse(problem)
  if (!CATEGORIES.includes(textOf(category).toUpperCase()))
    return refuse(`Param category must be one of {${CATEGORIES.join(', ')}}`)
  const value = { ...row.value, components, category: textOf(category).toUpperCase(), ...reviewOf(known.name) }
  await putObject(database, place, { id: row.id, value, now: new Date(clock.now()) })
  return SUCCESS
}

/** All languages of a name, or the one with this id. */
async function deleteTemplates({ database }: ManagementOptions, call: Call): Promise<ManagementReply> {
  const { name, hsm_id: id } = { ...call.body, ...call.query }
  const place = { orgId: call.number.orgId, numberId: '', kind: TEMPLATE }
  const rows = (await listObjects(database, place)).filter(
    (row) => row.value.name === name && (id === undefined || row.id === id),
  )
  if (rows.length === 0) return refuse('The template does not exist.', { subcode: 2593002 })
  for (const row of rows) await deleteObject(database, place, row.id)
  return SUCCESS
}
