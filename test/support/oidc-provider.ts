import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto'
import { listen } from '../../src/platform/runtime/server.ts'

/** An OpenID Connect provider on loopback: discovery, authorization code with PKCE, tokens signed with RS256, keys, userinfo. */
export type OidcProvider = {
  issuer: string
  clientId: string
  clientSecret: string
  /** Who signs in at the provider. */
  person: { sub: string; email: string; email_verified?: unknown; name?: string }
  /** The email is left to userinfo. */
  hidesEmail: boolean
  /** Changes the claims of the next ID tokens. */
  alter: (claims: Record<string, unknown>) => Record<string, unknown>
  /** Signs with a key that it does not publish. */
  forges: boolean
  /** The browser at the authorization page: where it is sent back to. */
  authorize(url: string): Record<string, string>
  stop(): Promise<void>
}

type Grant = { nonce: string | null; challenge: string; redirectUri: string }

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 })

export function startOidcProvider({ port = 0 } = {}): OidcProvider {
  const [published, hidden] = [newKey(), newKey()]
  const grants = new Map<string, Grant>()
  const json = (body: unknown, status = 200) => Response.json(body, { status })

  const sign = (claims: Record<string, unknown>) => {
    const text = `${encode({ alg: 'RS256', kid: 'one', typ: 'JWT' })}.${encode(claims)}`
    const key = provider.forges ? hidden.privateKey : published.privateKey
    return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`
  }

  const issueTokens = async (request: Request) => {
    const form = new URLSearchParams(await request.text())
    const grant = grants.get(form.get('code') ?? '')
    grants.delete(form.get('code') ?? '')
    const verifier = form.get('code_verifier') ?? ''
    const isClient = form.get('client_id') === provider.clientId && form.get('client_secret') === provider.clientSecret
    if (!isClient) return json({ error: 'invalid_client' }, 401)
    const isProven = grant?.challenge === createHash('sha256').update(verifier).digest('base64url')
    if (grant === undefined || !isProven || grant.redirectUri !== form.get('redirect_uri'))
      return json({ error: 'invalid_grant' }, 400)
    const { email, email_verified, ...person } = provider.person
    const seconds = Math.floor(Date.now() / 1000)
    const claims = {
      iss: provider.issuer,
      aud: provider.clientId,
      iat: seconds,
      exp: seconds + 300,
      nonce: grant.nonce,
      ...person,
      ...(!provider.hidesEmail && { email, email_verified }),
    }
    const idToken = sign(provider.alter(claims))
    return json({ access_token: 'at-secret', token_type: 'Bearer', expires_in: 300, id_token: idToken })
  }

  const server = listen({
    host: '127.0.0.1',
    port,
    bodyBytesMax: 64 * 1024,
    async handle(request) {
      const url = new URL(request.url)
      const { issuer } = provider
      if (url.pathname === '/.well-known/openid-configuration')
        return json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          userinfo_endpoint: `${issuer}/userinfo`,
          id_token_signing_alg_values_supported: ['RS256'],
          token_endpoint_auth_methods_supported: ['client_secret_post'],
        })
      if (url.pathname === '/authorize') {
        const back = new URL(url.searchParams.get('redirect_uri') ?? '')
        for (const [name, value] of Object.entries(provider.authorize(request.url))) back.searchParams.set(name, value)
        return Response.redirect(back.href, 302)
      }
      if (url.pathname === '/token') return issueTokens(request)
      if (url.pathname === '/keys')
        return json({
          keys: [{ ...published.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }],
        })
      if (url.pathname === '/userinfo' && request.headers.get('authorization') === 'Bearer at-secret')
        return json(provider.person)
      return json({ error: 'not_found' }, 404)
    },
    onError: () => new Response('the provider itself failed', { status: 599 }),
  })

  const provider: OidcProvider = {
    issuer: `http://127.0.0.1:${server.port}`,
    clientId: 'nexkit',
    clientSecret: 'client-secret-for-tests',
    person: { sub: 'one', email: 'one@example.com', email_verified: true },
    hidesEmail: false,
    alter: (claims) => claims,
    forges: false,
    authorize(url) {
      const query = new URL(url).searchParams
      const code = randomUUID()
      grants.set(code, {
        nonce: query.get('nonce'),
        challenge: query.get('code_challenge') ?? '',
        redirectUri: query.get('redirect_uri') ?? '',
      })
      return { code, state: query.get('state') ?? '', iss: provider.issuer }
    },
    stop: () => server.drain(0),
  }
  return provider
}
