import { createHash, timingSafeEqual } from 'node:crypto'
import type { Scope } from '../../kernel/scopes.ts'
import { credentialRefused } from './cloud-api-admission.ts'
import type { CloudApiCall, CloudApiContext, CloudApiReply, EmulatedApp, OpenCall } from './cloud-api-context.ts'
import { CloudApiProblem, requestInvalid } from './cloud-api-problem.ts'
import { readFields } from './request-body.ts'

/**
 * What clients ask about access tokens. Here a token is an API key.
 *
 *   /oauth/access_token   an app that proves its secret gets its app access token
 *   /debug_token          what a token may do, for callers with a key of the same organization
 *
 * An emulated app has one id and one secret. On any other server the secret of an app is that of a callback in Meta's format,
 * and the app access token is the API key that the call carries, because a secret alone does not lead to an organization.
 */
const WRONG_SECRET = 'Error validating client secret.'

const tokenError = (code: number, title: string) =>
  new CloudApiProblem({ status: 400, code, title, isPlain: true, errorCode: 'request_invalid' })

const textOf = (value: unknown): string | null =>
  typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : null

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Takes as long for a wrong text as for the right one. */
const isSameText = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

/** `app-id|app-secret`, which Graph accepts as the access token of an app. */
export const appAccessToken = ({ id, secret }: Pick<EmulatedApp, 'id' | 'secret'>): string => `${id}|${secret}`

export async function getAccessToken(context: CloudApiContext, call: OpenCall): Promise<CloudApiReply> {
  const fields = { ...Object.fromEntries(call.query), ...(await readFields(context, call)) }
  // It contains the secret.
  call.exchange.requestBody = null
  const [id, secret] = [textOf(fields.client_id), textOf(fields.client_secret)]
  if (id === null) throw tokenError(101, 'Missing client_id parameter.')
  if (secret === null) throw tokenError(1, 'Missing client_secret parameter.')
  const appToken = await proveApp(context, call, { id, secret })
  if (textOf(fields.code) !== null) throw tokenError(100, 'Invalid verification code format.')
  const token = fields.grant_type === 'fb_exchange_token' ? textOf(fields.fb_exchange_token) : appToken
  if (fields.grant_type !== 'client_credentials' && fields.grant_type !== 'fb_exchange_token')
    throw tokenError(100, 'grant_type must be "client_credentials" or "fb_exchange_token".')
  if (token === null || (token !== appToken && (await findCaller(context, call, token)) === null))
    throw tokenError(190, 'Invalid OAuth access token - Cannot parse access token.')
  return { status: 200, body: JSON.stringify({ access_token: token, token_type: 'bearer' }), isSecret: true }
}

/** The access token of the app. A wrong secret counts as a failed try, as a wrong key does. */
async function proveApp(
  context: CloudApiContext,
  call: OpenCall,
  { id, secret }: { id: string; secret: string },
): Promise<string> {
  const { app } = context
  if (app !== null) {
    if (isSameText(appAccessToken(app), appAccessToken({ id, secret }))) return appAccessToken(app)
    throw wrongSecret(context, call)
  }
  const { caller, token } = await call.admit('webhooks:write')
  if (await context.subscriptions.hasSecret(caller.orgId, secret)) return token
  throw wrongSecret(context, call)
}

const wrongSecret = (context: CloudApiContext, { exchange }: OpenCall): Error =>
  credentialRefused(context, exchange, tokenError(1, WRONG_SECRET))

/** Null for what is no token, and for tokens that cannot be used here. */
async function findCaller(
  context: CloudApiContext,
  { request, exchange }: Pick<OpenCall, 'request' | 'exchange'>,
  token: string,
) {
  if (!/^[!-~]{1,512}$/.test(token)) return null
  const asked = new Request(request.url, { headers: { authorization: `Bearer ${token}` } })
  const authentication = await context.authenticate(asked, exchange.address)
  return authentication.ok && authentication.caller.type === 'key' ? authentication.caller : null
}

const INVALID = {
  error: { code: 190, message: 'Invalid OAuth access token - Cannot parse access token' },
  is_valid: false,
  scopes: [],
}

/** A key of another organization is as unknown as one that does not exist. */
export async function debugToken(context: CloudApiContext, call: CloudApiCall): Promise<CloudApiReply> {
  const token = textOf(call.query.get('input_token'))
  if (token === null) throw requestInvalid('The parameter input_token is required')
  const found = await findCaller(context, call, token)
  const { orgId } = call.caller
  if (found === null || found.orgId !== orgId) return json({ data: INVALID })
  const isOfApp = context.app !== null && isSameText(token, appAccessToken(context.app))
  const accounts = [...new Set((await context.numbers.list(orgId)).map(({ accountId }) => accountId))]
  const scopes = isOfApp ? [] : graphScopesOf(found.scopes)
  return json({
    data: {
      app_id: context.app?.id ?? graphIdOf(`app ${orgId}`),
      type: isOfApp ? 'APP' : 'SYSTEM_USER',
      application: 'Nexkit',
      data_access_expires_at: 0,
      expires_at: found.expiresAt === null ? 0 : Math.floor(found.expiresAt.getTime() / 1000),
      is_valid: true,
      scopes,
      granular_scopes: scopes.map((scope) => ({ scope, target_ids: accounts })),
      ...(!isOfApp && { user_id: graphIdOf(found.id) }),
    },
  })
}

const json = (body: unknown): CloudApiReply => ({ status: 200, body: JSON.stringify(body) })

/** The permissions of Meta that a key has in effect. */
const graphScopesOf = (scopes: readonly Scope[]): string[] => [
  ...(scopes.includes('messages:send') || scopes.includes('webhooks:write') ? ['whatsapp_business_management'] : []),
  ...(scopes.includes('messages:send') ? ['whatsapp_business_messaging'] : []),
]

const FIRST_ID = 100_000_000_000_000n
const IDS = 900_000_000_000_000n

/** Fifteen digits that stay the same. */
const graphIdOf = (text: string): string => String(FIRST_ID + (digest(text).readBigUInt64BE() % IDS))
