import { type AuditContext, recordAuditAlone } from '../../../accounts/audit/audit.ts'
import {
  signInThrottled,
  ssoEmailUnverified,
  ssoPersonUnknown,
  ssoRefused,
  ssoUnavailable,
} from '../../../accounts/people/people.errors.ts'
import {
  type AuthPerson,
  admitByEmail,
  hasSignedInWithSso,
  SSO_CALLBACK_PATH,
  SSO_START_PATH,
  type SsoClaims,
  ssoStart,
} from '../../../accounts/people/people.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import { defineRoute, open, type Route } from '../../../platform/http/define-route.ts'
import { SignInOptions, SsoResult, SsoReturn, SsoStart } from './auth.schemas.ts'
import { authShared } from './auth-question.ts'
import type { SignInParts } from './sign-in.routes.ts'

/**
 * Single sign-on: the page gets the address of the provider, and hands in what the provider sent the browser back with. The factors
 * that the provider asked for are trusted, so no second factor follows.
 */
export const ssoRoutes = ({ parts, ask, guard, record, audit }: SignInParts & { audit: AuditContext }): Route[] => [
  defineRoute({
    ...authShared,
    id: 'getSignInOptions',
    method: 'GET',
    path: '/sign-in-options',
    summary: 'Ways to sign in',
    access: open,
    reply: { status: 200, body: SignInOptions },
    example: { reply: { sso: { name: 'SSO' } } },
    handle: async () => ({ sso: parts.ssoName === null ? null : { name: parts.ssoName } }),
  }),
  defineRoute({
    ...authShared,
    id: 'startSso',
    method: 'POST',
    path: '/sso/start',
    summary: 'Begin single sign-on',
    access: open,
    reply: { status: 200, body: SsoStart },
    errors: [ssoUnavailable, signInThrottled],
    example: { reply: { url: 'https://login.example.com/authorize?client_id=nexkit' } },
    async handle(asked) {
      const answer = await ask(asked, { method: 'POST', path: SSO_START_PATH, body: ssoStart })
      if (answer.status !== 200) throw ssoUnavailable()
      return { url: String(answer.body?.url) }
    },
  }),
  defineRoute({
    ...authShared,
    id: 'signInWithSso',
    method: 'POST',
    path: '/sso',
    summary: 'Finish single sign-on',
    access: open,
    body: SsoReturn,
    reply: { status: 200, body: SsoResult },
    errors: [ssoRefused, ssoEmailUnverified, ssoPersonUnknown, ssoUnavailable, signInThrottled],
    showsSecret: true,
    example: { body: { state: 'hV3k', code: 'SplxlOBe' }, reply: { has_joined: false } },
    async handle({ body, ...asked }) {
      let refusal = ssoRefused
      const admitted: { person: AuthPerson; joined: OrgId[] }[] = []
      const admit = async (claims: SsoClaims) => {
        const found = claims.isEmailVerified ? await admitByEmail(parts.people, claims) : null
        if (found !== null) admitted.push(found)
        else {
          refusal = claims.isEmailVerified ? ssoPersonUnknown : ssoEmailUnverified
          record.refused(asked, 'ssoRefused', claims)
        }
        return found?.person ?? null
      }
      const answer = await ask(asked, { method: 'GET', path: SSO_CALLBACK_PATH, query: body, admit })
      const [entry] = admitted
      if (entry === undefined || !hasSignedInWithSso(answer)) throw refusal()
      const { person, joined } = entry
      const { requestId, address } = asked
      const actor = { type: 'user' as const, id: person.id, name: person.email }
      for (const orgId of joined)
        await recordAuditAlone(audit, orgId, { actor, act: 'acceptInvitation', subject: person.id, requestId, address })
      guard.remember(asked, person.email)
      await record.done(asked, 'signInWithSso', person)
      return { has_joined: joined.length > 0 }
    },
  }),
]
