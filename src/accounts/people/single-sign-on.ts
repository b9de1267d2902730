import { z } from 'zod'
import { readOperatorJson } from '../../platform/outbound-http/egress.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { ssoUnavailable } from './people.errors.ts'

/**
 * Single sign-on with one OpenID Connect provider, which the operator sets up. The library's plugin sends the browser there with
 * state, nonce and PKCE, exchanges the code and verifies the signed ID token. A person is matched by the verified email alone, so
 * the link that the library stores names the person, not the account at the provider.
 */
export type SsoSettings = { issuer: string; clientId: string; clientSecret: string; name: string }

/** What the provider says about the person who signed in there. */
export type SsoClaims = { email: string; isEmailVerified: boolean; name: string }

/** Decides who gets in. Null refuses. */
export type SsoAdmission = (claims: SsoClaims) => Promise<{ id: string; email: string; name: string } | null>

const SSO_PROVIDER = 'sso'
export const SSO_START_PATH = '/sign-in/social'
export const SSO_CALLBACK_PATH = `/callback/${SSO_PROVIDER}`
export const isSsoPath = (path: string) => path === SSO_START_PATH || path === SSO_CALLBACK_PATH
/** Where the library sends the browser when all is well, and when not. The console decides itself where to go. */
const DONE_PAGE = '/console'
export const ssoStart = { provider: SSO_PROVIDER, callbackURL: DONE_PAGE, errorCallbackURL: '/refused' }
export const hasSignedInWithSso = ({ location }: { location: string | null }) => location === DONE_PAGE

/** The page of the console that the provider sends the browser back to. */
const RETURN_PAGE = '/console/sign-in/sso'
const TIMEOUT_MS = 10_000
/** A provider that answered is not asked again for this long. */
const PROVIDER_FRESH_MS = 5_000

const Discovery = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  userinfo_endpoint: z.string().optional(),
  id_token_signing_alg_values_supported: z.array(z.string()).min(1),
  token_endpoint_auth_methods_supported: z.array(z.string()).default(['client_secret_basic']),
})
type Provider = z.output<typeof Discovery>

const withoutSlash = (url: string) => url.replace(/\/+$/, '')
const discoveryUrlOf = ({ issuer }: SsoSettings) => `${withoutSlash(issuer)}/.well-known/openid-configuration`

async function readProvider(settings: SsoSettings): Promise<Provider> {
  const provider = Discovery.parse(await readOperatorJson(discoveryUrlOf(settings), { timeoutMs: TIMEOUT_MS }))
  if (withoutSlash(provider.issuer) !== withoutSlash(settings.issuer))
    throw new Error(`the provider calls itself ${provider.issuer}, not ${settings.issuer}`)
  return provider
}

/**
 * The library reads the provider once, at its start. The provider is therefore read here before each use: one that is down is
 * refused with a sentence instead of a broken page, and one that has changed gets a new start.
 */
export function createSsoLibrary<Library>(
  settings: SsoSettings,
  { log, create }: { log: Log; create: (provider: Provider) => Promise<Library> },
): () => Promise<Library> {
  let started: { provider: string; readAtMs: number; library: Promise<Library> } | null = null
  let reading: Promise<Provider> | null = null
  // Shared by all who wait: anyone may begin to sign in, and a provider that does not answer is asked by one request at a time.
  const read = () => {
    reading ??= readProvider(settings)
      .catch((error) => {
        log.warn({ err: error, issuer: settings.issuer }, 'the provider of single sign-on could not be read')
        throw ssoUnavailable()
      })
      .finally(() => {
        reading = null
      })
    return reading
  }
  return async () => {
    if (started !== null && performance.now() - started.readAtMs < PROVIDER_FRESH_MS) return started.library
    const provider = await read()
    const [text, readAtMs] = [JSON.stringify(provider), performance.now()]
    if (started?.provider === text) {
      started.readAtMs = readAtMs
      return started.library
    }
    const library = create(provider).catch((error) => {
      started = null
      throw error
    })
    started = { provider: text, readAtMs, library }
    return library
  }
}

/** The library has no deadline for the requests it sends to the provider. */
export async function withinDeadline<Value>(work: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(ssoUnavailable()), 2 * TIMEOUT_MS)
  })
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer))
}

type PluginOptions = { settings: SsoSettings; provider: Provider; publicUrl: string; admit: SsoAdmission }

export async function singleSignOn({ settings, provider, publicUrl, admit }: PluginOptions) {
  const { genericOAuth } = await import('better-auth/plugins/generic-oauth')
  const { clientId, clientSecret, name } = settings
  const isSecretInBody = provider.token_endpoint_auth_methods_supported.includes('client_secret_post')
  return genericOAuth({
    config: [
      {
        providerId: SSO_PROVIDER,
        name,
        clientId,
        clientSecret,
        authentication: isSecretInBody ? 'post' : 'basic',
        discoveryUrl: discoveryUrlOf(settings),
        requireIdTokenVerification: true,
        redirectURI: `${publicUrl}${RETURN_PAGE}`,
        scopes: ['openid', 'email', 'profile'],
        // People join by invitation.
        disableSignUp: true,
        // Called when signature, issuer, audience, time and nonce of the ID token were verified.
        async getUserInfo({ idToken, accessToken }) {
          const claims = idToken === undefined ? null : await readClaims(provider, { idToken, accessToken })
          const person = claims === null ? null : await admit(claims)
          return person === null ? null : { ...person, emailVerified: true }
        },
        accountSubject: ({ profile }) => String(profile.id),
      },
    ],
  })
}

/** Some providers write the email as verified in quotes. */
const Claims = z.object({
  sub: z.string().min(1),
  email: z.email().max(254).optional(),
  email_verified: z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]).optional(),
  name: z.string().optional(),
})

/** From the ID token; a provider may also leave the email to its userinfo endpoint, which must mean the same account. */
async function readClaims(
  provider: Provider,
  { idToken, accessToken }: { idToken: string; accessToken: string | undefined },
): Promise<SsoClaims | null> {
  const [, payload = ''] = idToken.split('.')
  const signed = Claims.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString()))
  if (!signed.success) return null
  const claims = signed.data.email === undefined ? await readUserInfo(provider, accessToken) : signed.data
  if (claims?.email === undefined || claims.sub !== signed.data.sub) return null
  const email = claims.email.toLowerCase()
  const name = claims.name?.trim() || signed.data.name?.trim() || email
  return { email, isEmailVerified: claims.email_verified === true, name: name.slice(0, 200) }
}

async function readUserInfo({ userinfo_endpoint: url }: Provider, accessToken: string | undefined) {
  if (url === undefined || accessToken === undefined) return null
  const headers = { authorization: `Bearer ${accessToken}` }
  const answer = await readOperatorJson(url, { timeoutMs: TIMEOUT_MS, headers }).catch(() => null)
  const claims = Claims.safeParse(answer)
  return claims.success ? claims.data : null
}
