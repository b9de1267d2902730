import { agentScopes } from '../../kernel/scopes.ts'
import { soundText } from '../../kernel/text.ts'
import { type AuthAnswer, type AuthQuestion, CONSENT_PAGE, type DashboardAuth, LASTING } from '../people/people.ts'
import {
  type ClientRefusal,
  type ClientsContext,
  findOAuthClient,
  hostOfClient,
  type OAuthClient,
} from './oauth-clients.ts'
import { hostOfRedirect } from './redirect-addresses.ts'

/**
 * How a program is authorized. Its request, the query of the address that it opened in a browser, is shown to the person who signs in:
 *
 *   request ─▶ known program? ─▶ library: sound? ─▶ signed for this session, shown ─▶ agreed ─▶ code, back to the program
 *                   │ no                │ no                                        └▶ refused ─▶ back to the program
 *                   ▼                   ▼
 *            shown to the person  back to the program, or shown to the person if the redirect address does not belong to the program
 *
 * Only the parameters named here reach the library; its other features are not offered.
 */
export type AuthorizationContext = ClientsContext & {
  auth: DashboardAuth
  /** Our issuer name in the metadata: the public address. */
  issuer: string
  /** The address of /mcp. */
  resource: string
}

/** The browser of the person who is asked. */
export type Asking = Pick<AuthQuestion, 'cookie' | 'address' | 'userAgent'>

export type Consent = {
  /** The request as the library signed it, for ten minutes and one session. */
  request: string
  client: OAuthClient
  host: string
  /** Where the code goes, which a document may let be anywhere. */
  answeredAt: string
  scopes: string[]
}

export type Prepared = { consent: Consent } | { redirectUrl: string } | { refusal: ClientRefusal }

const PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
]

export async function prepareAuthorization(
  context: AuthorizationContext,
  asking: Asking,
  request: string,
): Promise<Prepared> {
  const sent = new URLSearchParams(request)
  if (PARAMETERS.some((name) => sent.getAll(name).length > 1)) return invalid('A parameter is there twice.')
  // The database takes none, and no program means one.
  if ([...sent.values()].some((value) => value.includes('\u0000'))) return invalid('A parameter has a NUL in it.')
  const clientId = sent.get('client_id')
  if (clientId === null) return invalid('It has no client_id.')
  const found = await findOAuthClient(context, clientId)
  if ('refusal' in found) return found
  const query = queryFor(context, sent)
  const answer = await context.auth.ask({ method: 'GET', path: '/oauth2/authorize', query, ...asking })
  const url = urlIn(answer)
  if (url?.startsWith(`${CONSENT_PAGE}?`)) return { consent: consentTo(found.client, query, url) }
  const errorPage = `${context.issuer}/api/auth/error?`
  if (url?.startsWith(errorPage))
    return invalid(new URLSearchParams(url.slice(errorPage.length)).get('error_description') ?? 'It is not valid.')
  if (url === null || url.startsWith('/')) return invalid('It could not be read.')
  return { redirectUrl: withIssuer(context, url) }
}

const invalid = (description: string): { refusal: ClientRefusal } => ({
  refusal: { error: 'invalid_request', description },
})

/**
 * Without scopes, all that agents can have are asked for; a scope that they cannot have is `invalid_scope`, which the library
 * answers. A person is asked every time, also when they agreed before: what is agreed to is more than scopes.
 */
function queryFor({ resource }: AuthorizationContext, sent: URLSearchParams): Record<string, string> {
  const query: Record<string, string> = { resource }
  for (const name of PARAMETERS) {
    const value = sent.get(name)
    // One without a value counts as not there (RFC 6749, 3.1), here and with tokens.
    if (value !== null && value !== '') query[name] = value
  }
  // Its answer to other types would not be in the query, where programs look for it.
  if (query.response_type !== 'code') delete query.response_type
  const asked = (query.scope?.split(' ') ?? []).filter((scope) => scope !== '' && scope !== LASTING)
  const scopes = new Set(asked.length === 0 ? agentScopes : asked)
  return { ...query, scope: [...scopes, LASTING].join(' '), prompt: 'consent' }
}

const consentTo = (client: OAuthClient, query: Record<string, string>, url: string): Consent => ({
  request: url.slice(CONSENT_PAGE.length + 1),
  client,
  host: hostOfClient(client, query.redirect_uri as string),
  answeredAt: hostOfRedirect(query.redirect_uri as string),
  scopes: (query.scope as string).split(' ').filter((scope) => scope !== LASTING),
})

const urlIn = ({ status, body }: AuthAnswer): string | null =>
  status === 200 && typeof body?.url === 'string' ? body.url : null

/** The library would name its own place below /api/auth, which no program knows (RFC 9207). */
function withIssuer({ issuer }: AuthorizationContext, text: string): string {
  const url = new URL(text)
  url.searchParams.set('iss', issuer)
  return url.href
}

/** What a person said to a request that was prepared for them. */
export type Decision = { request: string; sessionId: string } & (
  | { isAgreed: true; scopes: readonly string[]; reference: string }
  | { isAgreed: false }
)

/**
 * Where the browser goes on to; null when the request is forged, too old, or was prepared for another session, or when there is
 * no code for it after all, because the program has changed since.
 */
export async function concludeAuthorization(
  context: AuthorizationContext,
  asking: Asking,
  decision: Decision,
): Promise<string | null> {
  const { request, sessionId, isAgreed } = decision
  if (new URLSearchParams(request).get(SESSION_PARAMETER) !== sessionId) return null
  const answer = await context.auth.ask({
    method: 'POST',
    path: '/oauth2/consent',
    body: {
      accept: isAgreed,
      oauth_query: request,
      ...(isAgreed && { scope: [...decision.scopes, LASTING].join(' ') }),
    },
    ...(isAgreed && { reference: decision.reference }),
    ...asking,
  })
  const url = urlIn(answer)
  if (url === null || url.startsWith('/') || !URL.canParse(url)) return null
  return isAgreed && !hasCode(url) ? null : withIssuer(context, url)
}

function hasCode(text: string): boolean {
  const { searchParams } = new URL(text)
  return searchParams.has('code') && !searchParams.has('error')
}

/** In which the library signs for whom it is. */
const SESSION_PARAMETER = 'ba_pl'

/** What a signed request is about, for a caller that looks up more before the decision. */
export const clientIdIn = (request: string): string => soundText(new URLSearchParams(request).get('client_id') ?? '')
export const redirectUriIn = (request: string): string => new URLSearchParams(request).get('redirect_uri') ?? ''

const TOKEN_PARAMETERS = [
  'grant_type',
  'client_id',
  'code',
  'code_verifier',
  'redirect_uri',
  'refresh_token',
  'resource',
  'scope',
]
const REVOKE_PARAMETERS = ['client_id', 'token', 'token_type_hint']

export type ProtocolAnswer = { status: number; body: object | null }

export async function exchangeTokens(
  context: AuthorizationContext,
  address: string,
  sent: URLSearchParams,
): Promise<ProtocolAnswer> {
  const form = formOf(sent, TOKEN_PARAMETERS)
  if (form === null) return refusal('invalid_request', 'A parameter is there twice.')
  // A program that renews with fewer scopes keeps its right to renew.
  const scope = form.get('scope')
  if (scope !== null) form.set('scope', `${scope} ${LASTING}`)
  const answer = await askAsProgram(context, { path: '/oauth2/token', form, address })
  return answer.status === 200 ? { status: 200, body: tokensIn(answer) } : refusalIn(answer)
}

/** Answers 200 for unknown tokens and tokens of other programs too, as RFC 7009 requires. */
export async function revokeToken(
  context: AuthorizationContext,
  address: string,
  sent: URLSearchParams,
): Promise<ProtocolAnswer> {
  const form = formOf(sent, REVOKE_PARAMETERS)
  if (form === null) return refusal('invalid_request', 'A parameter is there twice.')
  if (!form.has('token')) return refusal('invalid_request', 'The token is missing.')
  const answer = await askAsProgram(context, { path: '/oauth2/revoke', form, address })
  const refused = answer.status === 200 ? null : refusalIn(answer)
  return refused?.status === 401 ? refused : { status: 200, body: null }
}

const askAsProgram = (
  { auth }: AuthorizationContext,
  question: Pick<AuthQuestion, 'path' | 'address'> & { form: URLSearchParams },
) => auth.ask({ method: 'POST', ...question, cookie: null, userAgent: null })

function formOf(sent: URLSearchParams, names: readonly string[]): URLSearchParams | null {
  if (names.some((name) => sent.getAll(name).length > 1)) return null
  const given = names.map((name) => [name, sent.get(name) ?? ''])
  return new URLSearchParams(given.filter(([, value]) => value !== ''))
}

function tokensIn({ body }: AuthAnswer): object {
  const { access_token, token_type, expires_in, refresh_token, scope } = body ?? {}
  const scopes = String(scope)
    .split(' ')
    .filter((one) => one !== LASTING)
  return { access_token, token_type, expires_in, refresh_token, scope: scopes.join(' ') }
}

const TOKEN_ERRORS = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_target',
]

/** A proof of possession that fails is a matter of the grant by the protocol, but not by the library. */
function refusalIn({ status, body }: AuthAnswer): ProtocolAnswer {
  // Nothing is wrong with its tokens then, and it must not think so.
  if (status === 429 || status >= 500) throw new Error(`the library answered ${status} to a question of a program`)
  const { error, error_description: description } = body ?? {}
  const isOfTheGrant = status === 401 && error === 'invalid_request'
  const known = TOKEN_ERRORS.includes(String(error)) && !isOfTheGrant ? String(error) : 'invalid_grant'
  return refusal(known, typeof description === 'string' ? description : 'This cannot be used.')
}

const refusal = (error: string, description: string): ProtocolAnswer => ({
  status: error === 'invalid_client' ? 401 : 400,
  body: { error, error_description: description },
})
