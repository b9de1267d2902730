import type { AuditContext } from '../../../accounts/audit/audit.ts'
import type { Route } from '../../../platform/http/define-route.ts'
import type { Log } from '../../../platform/telemetry/log.ts'
import { createAccountRecord } from './account-record.ts'
import { alertRoutes } from './alerts.routes.ts'
import { type AuthRouteParts, createAsker } from './auth-question.ts'
import { invitationRoutes } from './invitations.routes.ts'
import { passkeyRoutes } from './passkeys.routes.ts'
import { passwordRoutes } from './passwords.routes.ts'
import { sessionRoutes } from './sessions.routes.ts'
import { signInRoutes } from './sign-in.routes.ts'
import { createSignInGuard } from './sign-in-guard.ts'
import { ssoRoutes } from './sso.routes.ts'
import { twoFactorRoutes } from './two-factor.routes.ts'

export type { AuthRouteParts } from './auth-question.ts'

export type AuthRouteTools = { audit: AuditContext; log: Log }

/**
 * Signing in and out, below /api/auth. The library does the work; these routes ask it and answer in our own words, so that every
 * refusal is a problem document like any other.
 */
export function authRoutes(parts: AuthRouteParts, { audit, log }: AuthRouteTools): Route[] {
  const ask = createAsker(parts)
  const guard = createSignInGuard(parts)
  const record = createAccountRecord(audit, log)
  return [
    ...signInRoutes({ parts, ask, guard, record }),
    ...passkeyRoutes({ parts, ask, guard, record }),
    ...ssoRoutes({ parts, ask, guard, record, audit }),
    ...sessionRoutes(parts, ask),
    ...passwordRoutes({ ask, guard, record }),
    ...twoFactorRoutes(ask),
    ...invitationRoutes(parts, audit),
    ...alertRoutes(parts),
  ]
}
