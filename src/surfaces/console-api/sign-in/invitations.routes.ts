import { z } from 'zod'
import { type AuditContext, recordAuditAlone } from '../../../accounts/audit/audit.ts'
import { invitationInvalid, passwordTooShort } from '../../../accounts/people/people.errors.ts'
import { acceptInvitation, readInvitation } from '../../../accounts/people/people.ts'
import { defineRoute, open, type Route } from '../../../platform/http/define-route.ts'
import { sessionRequired } from '../../../platform/http/http.errors.ts'
import { textSchema } from '../../../platform/http/schemas.ts'
import { InvitationAcceptance, InvitationView } from './auth.schemas.ts'
import { type AuthRouteParts, authShared, findSignedIn } from './auth-question.ts'
import { assertSameOrigin, refuseSession } from './session-caller.ts'

const invitationParams = z.object({ token: textSchema(200, 1) })

export const invitationRoutes = (parts: AuthRouteParts, audit: AuditContext): Route[] => [
  defineRoute({
    ...authShared,
    id: 'getInvitation',
    method: 'GET',
    path: '/invitations/{token}',
    summary: 'See what an invitation is to',
    access: open,
    params: invitationParams,
    reply: { status: 200, body: InvitationView },
    errors: [invitationInvalid],
    example: {
      params: { token: 'inv_x.y' },
      reply: {
        organization: 'Demo Store',
        email: 'a@example.com',
        role: 'developer',
        expires_at: '2026-11-22T09:30:00.000Z',
        is_known_person: false,
      },
    },
    async handle({ params }) {
      const { invitation, isKnownPerson } = await readInvitation(parts.people, params.token)
      return {
        organization: invitation.organization_name,
        email: invitation.email,
        role: invitation.role,
        expires_at: invitation.expires_at.toISOString(),
        is_known_person: isKnownPerson,
      }
    },
  }),
  defineRoute({
    ...authShared,
    id: 'acceptInvitation',
    method: 'POST',
    path: '/invitations/{token}',
    summary: 'Join as a new person',
    access: open,
    params: invitationParams,
    body: InvitationAcceptance,
    reply: { status: 200, body: z.object({ email: textSchema(254) }) },
    errors: [invitationInvalid, passwordTooShort],
    showsSecret: true,
    example: {
      params: { token: 'inv_x.y' },
      body: { name: 'Budi', password: 'correct horse battery' },
      reply: { email: 'a@example.com' },
    },
    async handle({ params, body, request, requestId, address }) {
      assertSameOrigin(request, parts.publicOrigin)
      const { orgId, personId, email } = await acceptInvitation(parts.people, params.token, { newPerson: body })
      // Entered where they joined, whether they were signed in somewhere else or nowhere.
      const actor = { type: 'user' as const, id: personId, name: email }
      await recordAuditAlone(audit, orgId, { actor, act: 'acceptInvitation', subject: personId, requestId, address })
      return { email }
    },
  }),
  defineRoute({
    ...authShared,
    id: 'joinOrganization',
    method: 'POST',
    path: '/invitations/{token}/join',
    summary: 'Join as the person who is signed in',
    // A caller is a member of an organization; a person who was removed from their last one is signed in but no caller
    // yet.
    access: open,
    params: invitationParams,
    reply: { status: 200, body: z.object({ id: textSchema(40) }) },
    errors: [invitationInvalid, sessionRequired],
    example: { params: { token: 'inv_x.y' }, reply: { id: 'org_01kmz3v7n2e0a8tq9fj6hx5c4d' } },
    async handle({ params, requestId, address, ...asked }) {
      assertSameOrigin(asked.request, parts.publicOrigin)
      const person = await findSignedIn(parts, { ...asked, address })
      if (person === null) throw refuseSession()
      const { email } = person
      const { orgId, personId } = await acceptInvitation(parts.people, params.token, { email })
      const actor = { type: 'user' as const, id: personId, name: email }
      await recordAuditAlone(audit, orgId, { actor, act: 'joinOrganization', subject: personId, requestId, address })
      return { id: orgId }
    },
  }),
]
