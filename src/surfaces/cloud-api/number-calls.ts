import type { CloudApiCall, CloudApiContext, CloudApiNumber, CloudApiReply } from './cloud-api-context.ts'
import { objectUnknown } from './cloud-api-problem.ts'

/** What clients ask about a number before they use it. */
const TEMPLATES_TIMEOUT_MS = 10_000

export async function requireNumber(context: CloudApiContext, call: CloudApiCall): Promise<CloudApiNumber> {
  const number = await context.numbers.find(call.caller.orgId, call.objectId)
  if (number === null) throw objectUnknown(call.request.method, call.objectId)
  return number
}

/** `fields` chooses among what there is; names that mean nothing here are left out, as for a number that has no such thing. */
export async function describeNumber(context: CloudApiContext, call: CloudApiCall): Promise<CloudApiReply> {
  const { id } = await requireNumber(context, call)
  const number = await context.numbers.describe(call.caller.orgId, id)
  const facts: Record<string, unknown> = {
    verified_name: number.name,
    display_phone_number: number.displayPhone,
    code_verification_status: 'VERIFIED',
    quality_rating: 'UNKNOWN',
    platform_type: 'CLOUD_API',
    throughput: { level: 'STANDARD' },
    id: number.phoneNumberId,
  }
  const wanted = call.query.get('fields')?.split(',')
  const names = Object.keys(facts).filter((name) => name === 'id' || wanted === undefined || wanted.includes(name))
  return { status: 200, body: JSON.stringify(Object.fromEntries(names.map((name) => [name, facts[name]]))) }
}

export async function listTemplates(context: CloudApiContext, call: CloudApiCall): Promise<CloudApiReply> {
  const signal = AbortSignal.timeout(TEMPLATES_TIMEOUT_MS)
  const templates = await context.numbers.listTemplates(call.caller.orgId, call.objectId, signal)
  if (templates === null) throw objectUnknown(call.request.method, call.objectId)
  const name = call.query.get('name')
  const data = name === null ? templates : templates.filter((template) => template.name === name)
  return { status: 200, body: JSON.stringify({ data, paging: {} }) }
}
