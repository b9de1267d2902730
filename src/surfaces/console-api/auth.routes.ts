import type { AuditContext } from '../../accounts/audit.ts'
import type { Route } from '../../platform/http/define-route.ts'
import type { RateLimiter } from '../../platform/http/rate-limit.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { createAccountRecord } from './account-record.ts'
import { type AuthRouteParts, createAsker, createEmailThrottle } from './auth-question.ts'
import { invitationRoutes } from './invitations.routes.ts'
import { passwordRoutes } from './passwords.routes.ts'
import { sessionRoutes } from './sessions.routes.ts'
import { signInRoutes } from './sign-in.routes.ts'
import { twoFactorRoutes } from './two-factor.routes.ts'

export type { AuthRouteParts } from './auth-question.ts'

export type AuthRouteTools = { rateLimiter: RateLimiter; audit: AuditContext; log: Log }

/**
 * Signing in and out, below /api/auth. The library does the work; these routes ask it and answer in our own words, so that every
 * refusal is a problem document like any other.
 */
export function authRoutes(parts: AuthRouteParts, { rateLimiter, audit, log }: AuthRouteTools): Route[] {
  const ask = createAsker(parts)
  const throttle = createEmailThrottle(rateLimiter)
  const record = createAccountRecord(audit, log)
  return [
    ...signInRoutes({ parts, ask, throttle, record }),
    ...sessionRoutes(parts, ask),
    ...passwordRoutes({ ask, throttle, record }),
    ...twoFactorRoutes(ask),
    ...invitationRoutes(parts, audit),
  ]
}
