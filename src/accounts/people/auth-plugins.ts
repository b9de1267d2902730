import type { BetterAuthPlugin } from 'better-auth'
import { agentScopes } from '../../kernel/scopes.ts'
import { sha256Text } from '../../platform/runtime/hash.ts'
import type { Role } from './roles.ts'

/**
 * Configures the library for programs that connect (OAuth 2.1): which of our columns are its fields, how long tokens
 * live, and that it offers only the authorization code with PKCE and its renewal. It offers no OpenID, no signed tokens
 * and no client secrets. Its registration is off, because ours (oauth-clients.ts) accepts addresses of programs that
 * the library refuses, and nothing else.
 */
export type OAuthLibraryOptions = {
  /** The only resource that tokens are valid for: the address of /mcp. */
  resource: string
  /** The agent and organization that the person chose. */
  chosenReference: () => string | undefined
}

export const INVITATION_DAYS = 7
export const ACCESS_TOKEN_LEAD = 'nxo_'
export const REFRESH_TOKEN_LEAD = 'nxr_'
/** The consent page of the console. The library only names it in its answers to us. */
export const CONSENT_PAGE = '/console/connect'
/**
 * The scope with which the library issues a refresh token. Every program gets it, so no program needs to ask for it.
 */
export const LASTING = 'offline_access'
const ACCESS_TOKEN_SECONDS = 3600
const REFRESH_TOKEN_SECONDS = 30 * 24 * 3600
const CODE_SECONDS = 600
/** A program whose answer was lost, or two of the same that renew at once, get the same answer again. */
const REPLAY_SECONDS = 30

export async function connections({ resource, chosenReference }: OAuthLibraryOptions): Promise<BetterAuthPlugin> {
  const { oauthProvider } = await import('@better-auth/oauth-provider')
  const plugin = oauthProvider({
    loginPage: '/console/sign-in',
    consentPage: CONSENT_PAGE,
    scopes: [...agentScopes, LASTING],
    grantTypes: ['authorization_code', 'refresh_token'],
    resources: [resource],
    enforcePerClientResources: false,
    disableJwtPlugin: true,
    allowDynamicClientRegistration: false,
    accessTokenExpiresIn: ACCESS_TOKEN_SECONDS,
    refreshTokenExpiresIn: REFRESH_TOKEN_SECONDS,
    refreshTokenReuseInterval: REPLAY_SECONDS,
    codeExpiresIn: CODE_SECONDS,
    prefix: { opaqueAccessToken: ACCESS_TOKEN_LEAD, refreshToken: REFRESH_TOKEN_LEAD },
    storeTokens: { hash: async (token) => sha256Text(token) },
    // The page is never shown. With this option, the library ties what it signs to the session.
    postLogin: {
      page: CONSENT_PAGE,
      shouldRedirect: () => false,
      consentReferenceId: () => chosenReference(),
    },
    // Counted by us, per address and before the library is loaded.
    rateLimit: { token: false, authorize: false, revoke: false },
    schema,
  })
  return withFewerTables(plugin)
}

/** The client fields that we store; the other fields belong to features that are not offered. */
const CLIENT_FIELDS = ['clientId', 'name', 'redirectUris', 'scopes', 'grantTypes', 'tokenEndpointAuthMethod']
const UNUSED_TABLES = ['oauthClientResource', 'oauthClientAssertion']

/** It compares the database with its notion of one before it does anything; that notion is cut down to what is used. */
function withFewerTables(plugin: { schema: object }): BetterAuthPlugin {
  // Its types give undefined to members that may only be absent by ours; it runs the same.
  const whole = plugin as unknown as BetterAuthPlugin & { schema: NonNullable<BetterAuthPlugin['schema']> }
  const { oauthClient: client, ...others } = whole.schema
  const tables = Object.entries(others).filter(([name]) => !UNUSED_TABLES.includes(name))
  const fields = Object.entries(client?.fields ?? {}).filter(([name]) => [...CLIENT_FIELDS, ...TIMES].includes(name))
  return {
    ...whole,
    schema: { ...Object.fromEntries(tables), oauthClient: { ...client, fields: Object.fromEntries(fields) } },
  }
}

const TIMES = ['createdAt', 'updatedAt']

const OF_A_TOKEN = {
  clientId: 'client_id',
  sessionId: 'session_id',
  userId: 'person_id',
  referenceId: 'reference',
  authorizationCodeId: 'authorization_code_id',
  requestedUserInfoClaims: 'requested_claims',
  expiresAt: 'expires_at',
  createdAt: 'created_at',
  revoked: 'revoked_at',
}

const schema = {
  oauthClient: {
    modelName: 'oauth_clients',
    fields: {
      clientId: 'client_id',
      redirectUris: 'redirect_uris',
      grantTypes: 'grant_types',
      tokenEndpointAuthMethod: 'token_endpoint_auth_method',
      createdAt: 'created_at',
      updatedAt: 'updated_at',
    },
  },
  oauthResource: {
    modelName: 'oauth_resources',
    fields: {
      accessTokenTtl: 'access_token_ttl',
      refreshTokenTtl: 'refresh_token_ttl',
      signingAlgorithm: 'signing_algorithm',
      signingKeyId: 'signing_key_id',
      allowedScopes: 'allowed_scopes',
      customClaims: 'custom_claims',
      dpopBoundAccessTokensRequired: 'is_dpop_required',
      disabled: 'is_disabled',
      policyVersion: 'policy_version',
      createdAt: 'created_at',
      updatedAt: 'updated_at',
    },
  },
  oauthRefreshToken: {
    modelName: 'oauth_refresh_tokens',
    fields: {
      ...OF_A_TOKEN,
      rotatedAt: 'rotated_at',
      rotationReplayResponse: 'replay_answer',
      rotationReplayExpiresAt: 'replay_expires_at',
      authTime: 'auth_time',
    },
  },
  oauthAccessToken: { modelName: 'oauth_access_tokens', fields: { ...OF_A_TOKEN, refreshId: 'refresh_id' } },
  oauthConsent: {
    modelName: 'oauth_consents',
    fields: {
      clientId: 'client_id',
      userId: 'person_id',
      referenceId: 'reference',
      requestedUserInfoClaims: 'requested_claims',
      createdAt: 'created_at',
      updatedAt: 'updated_at',
    },
  },
}

/**
 * What the library needs to know about passkeys. A passkey replaces password and second factor, so the device must have checked
 * its user (finger, face, PIN) each time; the library only prefers that, the hooks below require it.
 */
export async function passkeys(publicUrl: string) {
  const { passkey } = await import('@better-auth/passkey')
  const { APIError } = await import('better-auth/api')
  const requireUserCheck = (isChecked: boolean | undefined) => {
    if (isChecked !== true) throw new APIError('UNAUTHORIZED', { code: 'USER_NOT_VERIFIED' })
  }
  return passkey({
    rpName: 'Nexkit',
    ...relyingParty(new URL(publicUrl)),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    advanced: { webAuthnChallengeCookie: 'passkey' },
    registration: {
      afterVerification: ({ verification }) => requireUserCheck(verification.registrationInfo?.userVerified),
    },
    authentication: {
      afterVerification: ({ verification }) => requireUserCheck(verification.authenticationInfo.userVerified),
    },
    schema: {
      passkey: {
        modelName: 'passkeys',
        fields: {
          userId: 'person_id',
          credentialID: 'credential_id',
          publicKey: 'public_key',
          deviceType: 'device_type',
          backedUp: 'is_backed_up',
          createdAt: 'created_at',
        },
      },
    },
  })
}

/** The host of the public URL. A passkey cannot belong to an IP address, so on the same machine it belongs to localhost. */
const relyingParty = ({ hostname, origin, port }: URL) =>
  ['127.0.0.1', '[::1]'].includes(hostname)
    ? { rpID: 'localhost', origin: `http://localhost:${port}` }
    : { rpID: hostname, origin }

/** Who may change members is decided by our own roles before the library is asked; it only has to know their names. */
export async function membership() {
  const { createAccessControl } = await import('better-auth/plugins/access')
  const { organization } = await import('better-auth/plugins/organization')
  const access = createAccessControl({
    organization: ['update'],
    member: ['create', 'update', 'delete'],
    invitation: ['create', 'cancel'],
  } as const)
  const manager = access.newRole({ member: ['create', 'update', 'delete'], invitation: ['create', 'cancel'] })
  const plain = access.newRole({})
  const roles: Record<Role, typeof manager | typeof plain> = {
    owner: manager,
    admin: manager,
    developer: plain,
    agent: plain,
    viewer: plain,
  }
  return organization({
    ac: access,
    roles,
    allowUserToCreateOrganization: false,
    invitationExpiresIn: INVITATION_DAYS * 24 * 3600,
    schema: {
      organization: { modelName: 'organizations', fields: { createdAt: 'created_at' } },
      member: {
        modelName: 'memberships',
        fields: { organizationId: 'org_id', userId: 'person_id', createdAt: 'created_at' },
      },
      invitation: {
        modelName: 'invitations',
        fields: {
          organizationId: 'org_id',
          inviterId: 'inviter_id',
          expiresAt: 'expires_at',
          createdAt: 'created_at',
        },
      },
      session: { fields: { activeOrganizationId: 'active_org_id' } },
    },
  })
}

export async function secondFactor() {
  const { twoFactor } = await import('better-auth/plugins/two-factor')
  return twoFactor({
    issuer: 'Nexkit',
    // It would lock out the owner together with an attacker; guess-throttle.ts distinguishes them.
    accountLockout: { enabled: false },
    schema: {
      user: { fields: { twoFactorEnabled: 'is_two_factor_on' } },
      twoFactor: {
        modelName: 'second_factors',
        fields: {
          userId: 'person_id',
          backupCodes: 'backup_codes',
          verified: 'is_verified',
          failedVerificationCount: 'failed_count',
          lockedUntil: 'locked_until',
        },
      },
    },
  })
}
