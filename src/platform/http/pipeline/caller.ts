import type { OrgId } from '../../../kernel/ids.ts'
import type { Scope } from '../../../kernel/scopes.ts'

/** Who is calling, as far as the HTTP layer cares. What kind of credential it was is the authenticator's business. */
export type Caller = {
  type: 'key' | 'agent' | 'user'
  id: string
  /** What people call it, where they do; of a person the email. */
  name?: string
  /** Of a person, for what others read. */
  displayName?: string
  orgId: OrgId
  scopes: readonly Scope[]
  /** What a person may do in the console beyond the scopes. */
  powers?: readonly string[]
  /** Requests per second and burst; null for no limit. */
  rateLimit: { perSecond: number; burst: number } | null
  /** What the rate is counted for, where not the caller as a whole. */
  rateLimitId?: string
  /** When the credential expires; answers announce it when that is near. */
  expiresAt: Date | null
}

/** Why a credential was refused. The caller never sees it; the owner does, in the request log. */
export type AuthenticationFailure =
  | 'missing'
  | 'malformed'
  | 'unknown'
  | 'expired'
  | 'revoked'
  | 'address_not_allowed'
  | 'session_not_accepted'
  | 'not_an_agent'

export type Authentication<SomeCaller extends Caller = Caller> =
  | { ok: true; caller: SomeCaller }
  | { ok: false; failure: AuthenticationFailure; failedKey?: FailedKey; credentialSent: boolean }

/** Known although authentication failed: an expired or revoked key still belongs to someone. */
export type FailedKey = { orgId: OrgId; caller: Pick<Caller, 'type' | 'id'> }

export type Authenticate = (request: Request, address: string) => Authentication | Promise<Authentication>
