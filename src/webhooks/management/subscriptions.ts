import { createHmac, randomBytes } from 'node:crypto'
import type { Initiator } from '../../events/events.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { breaksSchema } from '../../platform/http/pipeline/validation.ts'
import { NewWebhookEndpoint } from '../endpoints/endpoints.schemas.ts'
import {
  type Endpoint,
  findSubscribed,
  isCloudFormat,
  listEndpoints,
  lockSubscriptions,
  setSubscription,
} from '../endpoints/endpoints.ts'
import { hubSignature, listSecrets, openSigningKeys } from '../signing/signing.ts'
import type { WebhooksContext } from '../webhooks-context.ts'
import { deleteEndpoint } from './endpoint-actions.ts'
import {
  createEndpoint,
  ENDPOINTS_MAX,
  updateEndpoint,
  vetEndpointChange,
  vetNewEndpoint,
} from './endpoint-settings.ts'

/**
 * Endpoints that a bot registers in Meta's way: as the callback of an app, of a business account or of a number. Each of these has
 * one callback, so registering it again changes the endpoint that is there, whose secret stays. An endpoint of the same URL that
 * was created before, so that its secret is known, is taken over.
 */
export type Callback = {
  /** What it is registered as. */
  name: string
  url: string
  verifyToken: string
  /** Null for all numbers, or for several. */
  number: string | null
  /** Ids of several numbers, where they are not all. */
  numbers?: readonly string[]
  /** Filters; all events of the format by default. */
  events?: string[]
}

type Registered = {
  endpoint: Endpoint
  /** Of a new endpoint. */
  secret: string | null
}

type Registration = { orgId: OrgId; callback: Callback } & Initiator

/** Runs in the transaction, with the name of the operation that does the same in the API. */
type Enter = (tx: Tx, endpoint: Endpoint, act: string) => void

export async function registerCallback(
  context: WebhooksContext,
  { orgId, callback, ...initiator }: Registration,
  enter: Enter,
): Promise<Registered> {
  const { url, verifyToken: verify_token, number, numbers = null, name, events } = callback
  const known = await findSubscribed(context.database, orgId, callback)
  const change = { url, verify_token, number, ...(events !== undefined && { events }) }
  const created = NewWebhookEndpoint.safeParse({ ...change, format: 'whatsapp_cloud' })
  if (!created.success)
    throw breaksSchema(
      created.error.issues.map(({ path, message }) => ({
        pointer: `#/${path.join('/')}`,
        code: 'invalid',
        detail: message,
      })),
    )
  if (known === null) await vetNewEndpoint(context, created.data)
  else await vetEndpointChange(context, orgId, { id: known.id, change })
  return context.database.transaction(async (tx) => {
    await lockSubscriptions(tx, orgId, 'alone')
    const found = await findSubscribed(tx, orgId, callback)
    const { endpoint, secret } =
      found === null
        ? await createEndpoint(context, tx, orgId, { ...created.data, ...initiator })
        : { endpoint: await updateEndpoint(context, tx, orgId, { id: found.id, change, ...initiator }), secret: null }
    await setSubscription(tx, orgId, { id: endpoint.id, name, numberIds: numbers })
    enter(tx, endpoint, found === null ? 'createWebhookEndpoint' : 'updateWebhookEndpoint')
    return { endpoint, secret }
  })
}

export const findRegistered = (queries: Queries, orgId: OrgId, name: string): Promise<Endpoint | null> =>
  findSubscribed(queries, orgId, { name, url: null })

/** False when there is none. */
export async function unregisterCallback(
  context: WebhooksContext,
  { orgId, name, ...initiator }: { orgId: OrgId; name: string } & Initiator,
  enter: Enter,
): Promise<boolean> {
  return context.database.transaction(async (tx) => {
    await lockSubscriptions(tx, orgId, 'alone')
    const endpoint = await findRegistered(tx, orgId, name)
    if (endpoint === null) return false
    await deleteEndpoint(context, tx, orgId, { id: endpoint.id, ...initiator })
    enter(tx, endpoint, 'deleteWebhookEndpoint')
    return true
  })
}

/** Whether a callback of the organization is signed with this secret: both sign the same bytes, and the results are compared. */
export async function isCallbackSecret(
  { database, secretBox, clock }: WebhooksContext,
  orgId: OrgId,
  secret: string,
): Promise<boolean> {
  const callbacks = (await listEndpoints(database, orgId, { limit: ENDPOINTS_MAX })).filter(isCloudFormat)
  const endpointIds = callbacks.map(({ id }) => id)
  const rows = await listSecrets(database, orgId, { endpointIds, now: new Date(clock.now()) })
  const probe = randomBytes(32)
  const signature = `sha256=${createHmac('sha256', secret).update(probe).digest('hex')}`
  return openSigningKeys(secretBox, rows, 'v1').some(({ key }) => hubSignature([key], probe) === signature)
}
