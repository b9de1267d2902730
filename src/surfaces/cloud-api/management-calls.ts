import type { ManagementCall } from '../../channels/channel-connector.ts'
import { mediaIdOf } from '../../channels/content/content.ts'
import { isRecord } from '../../kernel/records.ts'
import type {
  CloudApiCall,
  CloudApiContext,
  CloudApiNumber,
  CloudApiNumberFacts,
  CloudApiReply,
} from './cloud-api-context.ts'
import { CloudApiProblem, objectUnknown } from './cloud-api-problem.ts'
import { readFields } from './request-body.ts'
import { configureNumber } from './subscription-calls.ts'

/**
 * Calls about numbers, business accounts and templates, which clients make besides sending. Real numbers: forwarded to
 * Graph with the credentials of the number. Simulated ones: answered by the simulator, or from what is stored here.
 */
export const MANAGED_EDGES: ReadonlySet<string> = new Set([
  'block_users',
  'deregister',
  'flows',
  'message_qrdls',
  'phone_numbers',
  'register',
  'request_code',
  'verify_code',
  'whatsapp_business_profile',
  'whatsapp_commerce_settings',
])

const ACCOUNT_EDGES = new Set(['flows', 'message_templates', 'phone_numbers'])
const TIMEOUT_MS = 30_000
const TEMPLATE_ID = /^\d{5,32}$/

export async function requireNumber(context: CloudApiContext, call: CloudApiCall): Promise<CloudApiNumber> {
  const number = await context.numbers.find(call.caller.orgId, call.objectId)
  if (number === null) throw objectUnknown(call.request.method, call.objectId)
  return number
}

export async function manageObject(context: CloudApiContext, call: CloudApiCall): Promise<CloudApiReply> {
  if (call.edge === null && mediaIdOf(call.objectId) !== null) throw objectUnknown(call.request.method, call.objectId)
  const numbers = await context.numbers.list(call.caller.orgId)
  const target = findTarget(numbers, call)
  if (target === null) throw objectUnknown(call.request.method, call.objectId)
  const { number, about } = target
  if (call.request.method === 'POST' && call.edge === null && about === 'number') {
    const fields = await readFields(context, call)
    const configured = await configureNumber(context, call, number, fields)
    if (configured !== null) return configured
    return manage(context, call, { numbers, target, fields })
  }
  return manage(context, call, { numbers, target })
}

type Managed = { numbers: CloudApiNumberFacts[]; target: Target; fields?: Record<string, unknown> }

async function manage(context: CloudApiContext, call: CloudApiCall, managed: Managed): Promise<CloudApiReply> {
  const { numbers, target } = managed
  const { number, about } = target
  if (!number.isManaged || (number.isSimulated && isKnownHere(call, about))) return answerHere(numbers, call, target)
  const { method } = call.request
  const body = method === 'POST' || method === 'DELETE' ? (managed.fields ?? (await readFields(context, call))) : {}
  return manageNumber(context, call, { number, about, body })
}

type Asked = Pick<ManagementCall, 'about' | 'body' | 'file'> & { number: CloudApiNumberFacts }

/** Asks the network of the number. */
export async function manageNumber(
  context: CloudApiContext,
  call: CloudApiCall,
  { number, about, body, file }: Asked,
): Promise<CloudApiReply> {
  const { method } = call.request
  const { access_token: _, ...query } = Object.fromEntries(call.query)
  const asked: ManagementCall = {
    ...{ method: methodOf(method), about, edge: call.edge, item: call.item, query, body },
    ...(file !== undefined && { file }),
    // Templates and the like may be asked for by the number, which Graph knows only by its account.
    objectId: about === 'account' ? number.accountId : call.objectId,
  }
  const reply = await context.numbers.manage(call.caller.orgId, number.id, asked, AbortSignal.timeout(TIMEOUT_MS))
  if (reply === null) throw objectUnknown(method, call.objectId)
  return { status: reply.status, body: JSON.stringify(withTrace(reply.body, call.exchange.requestId)) }
}

const methodOf = (method: string): ManagementCall['method'] =>
  method === 'POST' || method === 'DELETE' ? method : 'GET'

/** Clients exist that fail without a trace id. */
const withTrace = (body: Record<string, unknown>, traceId: string) =>
  isRecord(body.error) ? { error: { fbtrace_id: traceId, ...body.error } } : body

type Target = { number: CloudApiNumberFacts; about: ManagementCall['about'] }

function findTarget(numbers: readonly CloudApiNumberFacts[], { objectId, edge }: CloudApiCall): Target | null {
  const isOfAccount = edge !== null && ACCOUNT_EDGES.has(edge)
  const byNumber = numbers.find(({ id, phoneNumberId }) => id === objectId || phoneNumberId === objectId)
  if (byNumber !== undefined) return { number: byNumber, about: isOfAccount ? 'account' : 'number' }
  const byAccount = numbers.find(({ accountId }) => accountId === objectId)
  if (byAccount !== undefined) return edge === null || isOfAccount ? { number: byAccount, about: 'account' } : null
  // A template has an address without its account. Graph, or the simulator, says whether the account has it.
  const [first] = numbers.filter(({ isManaged }) => isManaged)
  return edge === null && first !== undefined && TEMPLATE_ID.test(objectId)
    ? { number: first, about: 'template' }
    : null
}

const isKnownHere = ({ edge, request }: CloudApiCall, about: Target['about']): boolean =>
  (edge === null && about !== 'template') || (edge === 'phone_numbers' && request.method !== 'POST')

function answerHere(
  numbers: readonly CloudApiNumberFacts[],
  call: CloudApiCall,
  { number, about }: Target,
): CloudApiReply {
  const { edge, request } = call
  const json = (body: unknown): CloudApiReply => ({ status: 200, body: JSON.stringify(body) })
  if (request.method === 'POST' && edge === null && about === 'number') return json({ success: true })
  if (request.method !== 'GET' && request.method !== 'HEAD') throw objectUnknown(request.method, call.objectId)
  const ofAccount = numbers.filter(({ accountId }) => accountId === number.accountId)
  if (edge === 'phone_numbers')
    return json({ data: ofAccount.map((one) => chosen(factsOf(one), DEFAULT_FACTS, call)), paging: {} })
  if (edge !== null) throw unmanaged(call)
  return json(
    about === 'account'
      ? chosen(accountFacts(number), ACCOUNT_FACTS, call)
      : chosen(factsOf(number), DEFAULT_FACTS, call),
  )
}

const unmanaged = ({ request, edge }: CloudApiCall) =>
  new CloudApiProblem({
    ...{ status: 400, code: 100, title: `Unsupported ${request.method.toLowerCase()} request.` },
    details: `The network of this number has no ${edge}.`,
    errorCode: 'object_unknown',
  })

const DEFAULT_FACTS = [
  'verified_name',
  'code_verification_status',
  'display_phone_number',
  'quality_rating',
  'platform_type',
  'throughput',
  'webhook_configuration',
]

const factsOf = (number: CloudApiNumberFacts): Record<string, unknown> => ({
  verified_name: number.name,
  code_verification_status: 'VERIFIED',
  display_phone_number: number.displayPhone,
  quality_rating: number.isSimulated ? 'GREEN' : 'UNKNOWN',
  platform_type: 'CLOUD_API',
  throughput: { level: 'STANDARD' },
  webhook_configuration: {},
  account_mode: number.isSimulated ? 'SANDBOX' : 'LIVE',
  name_status: 'APPROVED',
  status: 'CONNECTED',
  messaging_limit_tier: 'TIER_UNLIMITED',
  is_official_business_account: false,
  whatsapp_business_account: accountFacts(number),
  id: number.phoneNumberId,
})

const ACCOUNT_FACTS = ['name', 'timezone_id', 'message_template_namespace']

const accountFacts = ({ accountId, name }: CloudApiNumberFacts): Record<string, unknown> => ({
  id: accountId,
  name,
  timezone_id: '1',
  currency: 'IDR',
  account_review_status: 'APPROVED',
  message_template_namespace: `nexkit_${accountId}`,
})

/** What `fields` names, or the usual ones, and always the id. Names that mean nothing here are left out. */
function chosen(facts: Record<string, unknown>, usual: readonly string[], { query }: CloudApiCall) {
  const wanted =
    query
      .get('fields')
      ?.split(/,(?![^{(]*[})])/)
      .map((field) => field.replace(/[{(].*$/, '').trim()) ?? usual
  return Object.fromEntries(Object.entries(facts).filter(([name]) => name === 'id' || wanted.includes(name)))
}
