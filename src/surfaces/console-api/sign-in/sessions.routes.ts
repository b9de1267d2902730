import { z } from 'zod'
import { organizationNotFound } from '../../../accounts/accounts.errors.ts'
import { sessionNotFound } from '../../../accounts/people/people.errors.ts'
import { type AuthAnswer, setActiveOrganization } from '../../../accounts/people/people.ts'
import { defineRoute, type Route } from '../../../platform/http/define-route.ts'
import { textSchema } from '../../../platform/http/schemas.ts'
import { findPosition, positionText } from '../live/live-news.ts'
import { OpenSessions, OrganizationChoice, SessionView } from './auth.schemas.ts'
import { type Asker, type AuthRouteParts, authShared, noReply } from './auth-question.ts'
import { type PersonCaller, session } from './session-caller.ts'

/** Who is signed in, in which organization, and where else. */
const sessionExample = {
  person: { id: 'usr_01kmz3v7n2e0a8tq9fj6hx5c4d', name: 'Sari', email: 'sari@example.com', is_two_factor_on: false },
  organizations: [
    { id: 'org_01kmz3v7n2e0a8tq9fj6hx5c4d', name: 'Demo Store', slug: 'demo-store', role: 'owner', sandbox_of: null },
  ],
  organization: {
    id: 'org_01kmz3v7n2e0a8tq9fj6hx5c4d',
    name: 'Demo Store',
    slug: 'demo-store',
    role: 'owner',
    sandbox_of: null,
    scopes: ['chats:read'],
    powers: ['keys:manage'],
    is_simulated: true,
  },
  live_place: 'org_01kmz3v7n2e0a8tq9fj6hx5c4d.92..',
  version: '0.1.0',
}

type LibrarySession = {
  id: string
  token: string
  ipAddress: string | null
  userAgent: string | null
  createdAt: string
  updatedAt: string
  expiresAt: string
}

export const sessionRoutes = (parts: AuthRouteParts, ask: Asker): Route[] => [
  defineRoute({
    ...authShared,
    id: 'getSession',
    method: 'GET',
    path: '/session',
    summary: 'Who is signed in',
    access: session(null),
    reply: { status: 200, body: SessionView },
    example: { reply: sessionExample },
    handle: async ({ caller, headers }) => {
      for (const cookie of caller.setCookies) headers.push('Set-Cookie', cookie)
      return viewOf(parts, caller)
    },
  }),
  defineRoute({
    ...authShared,
    id: 'chooseOrganization',
    method: 'POST',
    path: '/organization',
    summary: 'Work in another organization',
    access: session(null),
    body: OrganizationChoice,
    reply: { status: 200, body: z.object({ id: textSchema(40) }) },
    example: { body: { id: 'org_01kmz3v7n2e0a8tq9fj6hx5c4d' }, reply: { id: 'org_01kmz3v7n2e0a8tq9fj6hx5c4d' } },
    async handle({ body, caller }) {
      const chosen = caller.memberships.find(({ org_id }) => org_id === body.id)
      if (chosen === undefined) throw organizationNotFound()
      await setActiveOrganization(parts.people.database, caller.sessionId, chosen.org_id)
      return { id: chosen.org_id }
    },
  }),
  defineRoute({
    ...authShared,
    id: 'listSessions',
    method: 'GET',
    path: '/sessions',
    summary: 'Where you are signed in',
    access: session(null),
    reply: { status: 200, body: OpenSessions },
    example: { reply: { data: [] } },
    async handle({ caller, ...asked }) {
      const answer = await ask(asked, { method: 'GET', path: '/list-sessions' })
      return { data: openSessionsIn(answer).map((row) => openSession(row, caller.sessionToken)) }
    },
  }),
  defineRoute({
    ...authShared,
    id: 'endSession',
    method: 'DELETE',
    path: '/sessions/{id}',
    summary: 'Sign out elsewhere',
    access: session(null),
    params: z.object({ id: textSchema(40, 1) }),
    reply: noReply,
    errors: [sessionNotFound],
    example: { params: { id: 'ses_01kmz3v7n2e0a8tq9fj6hx5c4d' }, reply: null },
    async handle({ params, caller: _, ...asked }) {
      const answer = await ask(asked, { method: 'GET', path: '/list-sessions' })
      const found = openSessionsIn(answer).find(({ id }) => id === params.id)
      if (found === undefined) throw sessionNotFound()
      await ask(asked, { method: 'POST', path: '/revoke-session', body: { token: found.token } })
      return undefined
    },
  }),
]

/** The answer to this question is a list. */
const openSessionsIn = ({ body }: AuthAnswer): LibrarySession[] => (Array.isArray(body) ? body : [])

const openSession = (row: LibrarySession, currentToken: string) => ({
  id: row.id,
  is_current: row.token === currentToken,
  address: row.ipAddress || null,
  user_agent: row.userAgent?.slice(0, 500) || null,
  created_at: new Date(row.createdAt).toISOString(),
  last_seen_at: new Date(row.updatedAt).toISOString(),
  expires_at: new Date(row.expiresAt).toISOString(),
})

async function viewOf(parts: AuthRouteParts, caller: PersonCaller): Promise<z.input<typeof SessionView>> {
  const organizations = caller.memberships.map(({ org_id, ...membership }) => ({
    id: org_id,
    name: membership.name,
    slug: membership.slug,
    role: membership.role,
    sandbox_of: membership.sandbox_of,
  }))
  const active = organizations.find(({ id }) => id === caller.orgId) as (typeof organizations)[number]
  const { id, name, email, isTwoFactorOn } = caller.person
  const { position } = await findPosition(parts.people.database, caller.orgId)
  return {
    person: { id, name, email, is_two_factor_on: isTwoFactorOn },
    organizations,
    organization: {
      ...active,
      scopes: [...caller.scopes],
      powers: [...(caller.powers ?? [])],
      is_simulated: await parts.isSimulated(caller.orgId),
    },
    live_place: positionText(position),
    version: parts.version,
  }
}
