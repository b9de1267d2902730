import { ProblemError } from '../../kernel/errors.ts'
import { isRecord } from '../../kernel/records.ts'
import { scopeMissing } from '../../platform/http/http.errors.ts'
import type { CloudApiCall, CloudApiContext, CloudApiNumberFacts, CloudApiReply } from './cloud-api-context.ts'
import { CloudApiProblem, objectUnknown, requestInvalid } from './cloud-api-problem.ts'
import { readFields } from './request-body.ts'

/**
 * Where a bot registers its callback in Meta's way. Each of these is a webhook endpoint in Meta's format; none of the calls is
 * forwarded to Meta, whose webhooks come to us.
 *
 *   /{app}/subscriptions        all numbers
 *   /{account}/subscribed_apps  the numbers of a business account, with `override_callback_uri`
 *   /{number}                   one number, with `webhook_configuration.override_callback_uri`
 */
export const SUBSCRIPTION_EDGES: ReadonlySet<string> = new Set(['subscribed_apps', 'subscriptions'])

const OBJECT = 'whatsapp_business_account'
/** One field for each kind of event that is subscribed. */
const SHOWN_FIELDS = [
  ['messages', 'message.received'],
  ['message_template_status_update', 'template.updated'],
  ['account_update', 'number.updated'],
] as const
const VERSION = 'v25.0'
const SCOPE = 'webhooks:write'

const json = (body: unknown): CloudApiReply => ({ status: 200, body: JSON.stringify(body) })
const DONE = { success: true }

export function manageSubscription(context: CloudApiContext, call: CloudApiCall): Promise<CloudApiReply> {
  return call.edge === 'subscriptions' ? manageApp(context, call) : manageAccount(context, call)
}

/** From the body, else from the query: clients use either. */
const fieldsOf = async (context: CloudApiContext, call: CloudApiCall): Promise<Record<string, unknown>> => ({
  ...Object.fromEntries(call.query),
  ...(await readFields(context, call)),
})

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

async function manageApp(context: CloudApiContext, call: CloudApiCall): Promise<CloudApiReply> {
  const name = `app ${call.objectId}`
  const { method } = call.request
  if (method === 'DELETE') return unregister(context, call, name)
  if (method !== 'POST') return json({ data: await subscriptionsOf(context, call, name) })
  const { object, callback_url, verify_token, fields } = await fieldsOf(context, call)
  if (object !== OBJECT) throw requestInvalid(`object must be "${OBJECT}".`)
  const names = namesOf(fields)
  const unknown = names.find((field) => !FIELD_NAMES.test(field))
  if (names.length === 0 || unknown !== undefined)
    throw requestInvalid(
      `fields must name fields of "${OBJECT}", such as messages${unknown ? `; not "${unknown}"` : ''}.`,
    )
  const callback = { name, url: textOf(callback_url), verifyToken: textOf(verify_token), number: null }
  return register(context, call, { ...callback, events: [...new Set(names.flatMap(eventsOf))] })
}

/** A list, or a comma list; without one, messages. */
const namesOf = (fields: unknown): string[] => {
  const names = Array.isArray(fields) ? fields : String(fields ?? 'messages').split(',')
  return names.map((name) => String(name).trim()).filter((name) => name !== '')
}

/** New fields come often; what is no name at all is refused. */
const FIELD_NAMES = /^[a-z][a-z0-9_]{2,63}$/

/** The events that have the form of a field, as far as events tell fields apart. */
function eventsOf(field: string): string[] {
  if (field === 'messages') return ['message.*']
  if (field === 'smb_message_echoes') return ['message.sent', 'message.edited', 'message.deleted']
  return /^(?:message_)?template_/.test(field) ? ['template.updated'] : ['number.*']
}

async function subscriptionsOf({ subscriptions }: CloudApiContext, { caller }: CloudApiCall, name: string) {
  const found = await subscriptions.find(caller.orgId, name)
  if (found === null) return []
  const names = SHOWN_FIELDS.filter(([, event]) => found.events.includes(event)).map(([field]) => field)
  const fields = names.map((field) => ({ name: field, version: VERSION }))
  return [{ object: OBJECT, callback_url: found.url, active: found.isActive, fields }]
}

async function manageAccount(context: CloudApiContext, call: CloudApiCall): Promise<CloudApiReply> {
  const { request, objectId, caller } = call
  const numbers = await context.numbers.list(caller.orgId)
  const own = numbers.filter(({ accountId }) => accountId === objectId)
  if (own.length === 0) throw objectUnknown(request.method, objectId)
  const name = `account ${objectId}`
  if (request.method === 'DELETE') return unregister(context, call, name)
  if (request.method !== 'POST') {
    const found = await context.subscriptions.find(caller.orgId, name)
    const app = { id: objectId, name: 'Nexkit', link: context.publicUrl }
    return json({
      data: [{ whatsapp_business_api_data: app, ...(found !== null && { override_callback_uri: found.url }) }],
    })
  }
  const { override_callback_uri, verify_token } = await fieldsOf(context, call)
  const url = textOf(override_callback_uri)
  // As with Meta, without a callback the one of the account is removed.
  if (url === null) return unregister(context, call, name)
  return register(context, call, { name, url, verifyToken: textOf(verify_token), ...limitOf(own, numbers) })
}

function limitOf(own: readonly CloudApiNumberFacts[], all: readonly CloudApiNumberFacts[]) {
  const ids = own.map(({ id }) => id)
  if (own.length === all.length) return { number: null }
  return ids[1] === undefined ? { number: ids[0] as string } : { number: null, numbers: ids }
}

/** `POST /{number}` with a callback; null when the call is about something else. */
export async function configureNumber(
  context: CloudApiContext,
  call: CloudApiCall,
  number: CloudApiNumberFacts,
  fields: Record<string, unknown>,
): Promise<CloudApiReply | null> {
  if (!isRecord(fields.webhook_configuration)) return null
  if (!call.caller.scopes.includes(SCOPE)) throw scopeMissing({ params: { required: SCOPE } })
  const { override_callback_uri, verify_token } = fields.webhook_configuration
  const name = `number ${number.id}`
  const url = textOf(override_callback_uri)
  if (url === null) return unregister(context, call, name)
  return register(context, call, { name, url, verifyToken: textOf(verify_token), number: number.id })
}

type Requested = {
  name: string
  url: string | null
  verifyToken: string | null
  number: string | null
  numbers?: readonly string[]
  /** All of the format by default. */
  events?: string[]
}

async function register(
  { subscriptions }: CloudApiContext,
  { caller, exchange }: CloudApiCall,
  { url, verifyToken, ...requested }: Requested,
): Promise<CloudApiReply> {
  if (url === null) throw requestInvalid('The parameter callback_url is required.')
  if (verifyToken === null) throw requestInvalid('The parameter verify_token is required.')
  try {
    const { secret } = await subscriptions.register(caller, { ...requested, url, verifyToken }, exchange)
    // Meta's clients do not look for it; a person who registers by hand needs it.
    return secret === null ? json(DONE) : { ...json({ ...DONE, app_secret: secret }), isSecret: true }
  } catch (error) {
    throw asGraphError(error)
  }
}

/** There are two ways in which Graph refuses a callback: what was given makes no sense, or the callback did not answer. */
function asGraphError(error: unknown): unknown {
  if (!(error instanceof ProblemError)) return error
  const { code, message, options } = error
  if (code === 'webhook_callback_unverified')
    return new CloudApiProblem({
      status: 400,
      code: 2200,
      title: 'Callback verification failed with the following errors',
      details: message,
      errorCode: code,
    })
  return error.status === 409 || error.status === 422 ? requestInvalid(options.errors?.[0]?.detail ?? message) : error
}

async function unregister(
  { subscriptions }: CloudApiContext,
  { caller, exchange }: CloudApiCall,
  name: string,
): Promise<CloudApiReply> {
  await subscriptions.unregister(caller, name, exchange)
  return json(DONE)
}
