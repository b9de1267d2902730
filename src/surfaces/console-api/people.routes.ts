import { z } from 'zod'
import {
  invitationInvalid,
  ownerRequired,
  personAlreadyMember,
  personNotFound,
} from '../../accounts/people/people.errors.ts'
import {
  changeRole,
  type InvitationRow,
  invitationMail,
  invitationToken,
  invite,
  listTeam,
  type MemberRow,
  normalEmail,
  type PeopleContext,
  type Role,
  removeMember,
  roleNames,
  withdrawInvitation,
} from '../../accounts/people/people.ts'
import type { Tx } from '../../platform/database/database.ts'
import { defineChange, defineRoute, type Route } from '../../platform/http/define-route.ts'
import { powerMissing } from '../../platform/http/http.errors.ts'
import type { Caller } from '../../platform/http/pipeline/caller.ts'
import { textSchema, timeSchema } from '../../platform/http/schemas.ts'
import type { Mailer } from '../../platform/mail/mail.ts'
import { type PersonCaller, session } from './sign-in/session-caller.ts'

/** The members of the organization. Every member may see them; the role decides who may change whom. */
export type PeopleRouteParts = {
  people: PeopleContext
  /** Sends the link; without a mailer the inviter hands it over. */
  mailer: Mailer | null
  publicUrl: string
}

const roleSchema = z.enum(roleNames)
const Member = z
  .object({
    id: textSchema(40),
    name: textSchema(200),
    email: textSchema(254),
    role: roleSchema,
    is_two_factor_on: z.boolean(),
    joined_at: timeSchema,
    last_seen_at: timeSchema.nullable(),
  })
  .meta({ id: 'Member' })
const Invitation = z
  .object({
    id: textSchema(40),
    email: textSchema(254),
    role: roleSchema,
    is_mailed: z.boolean().meta({ description: 'False if this server sends no mail: send the link yourself.' }),
    link: textSchema(2048).nullable().meta({ description: 'For those who may invite into this role.' }),
    expires_at: timeSchema,
    created_at: timeSchema,
  })
  .meta({ id: 'Invitation' })
const Team = z.object({ members: z.array(Member), invitations: z.array(Invitation) })
const NewInvitation = z.strictObject({ email: z.email('This must be an email address.').max(254), role: roleSchema })
const params = z.object({ id: textSchema(40, 1) })

const memberView = (row: MemberRow): z.input<typeof Member> => ({
  id: row.person_id,
  name: row.name,
  email: row.email,
  role: row.role,
  is_two_factor_on: row.is_two_factor_on,
  joined_at: row.joined_at.toISOString(),
  last_seen_at: row.last_seen_at?.toISOString() ?? null,
})

/** Only owners change owners; otherwise an admin could become one. */
const mayGive = ({ powers }: Caller, role: Role | undefined): boolean =>
  role !== 'owner' || (powers?.includes('owners:manage') ?? false)

function assertMayGive(caller: PersonCaller, ...rolesInvolved: (Role | undefined)[]): void {
  if (rolesInvolved.some((role) => !mayGive(caller, role)))
    throw powerMissing({ params: { required: 'owners:manage' } })
}

/** Its holder can join with the link, so it is shown only to people who may assign the role. */
const maySeeLink = (caller: Caller, { role }: InvitationRow): boolean =>
  (caller.powers?.includes('people:manage') ?? false) && mayGive(caller, role)

const example = {
  id: 'usr_01kmz3v7n2e0a8tq9fj6hx5c4d',
  name: 'Sari',
  email: 'sari@example.com',
  role: 'owner',
  is_two_factor_on: false,
  joined_at: '2026-11-14T09:30:00.000Z',
  last_seen_at: null,
}
const invitationExample = {
  id: 'inv_01kmz3v7n2e0a8tq9fj6hx5c4d',
  email: 'budi@example.com',
  role: 'developer',
  is_mailed: true,
  link: 'https://pay.example.com/console/invitations/inv_x.y',
  expires_at: '2026-11-21T09:30:00.000Z',
  created_at: '2026-11-14T09:30:00.000Z',
}
const shared = { tag: 'People', description: 'Of the console.' } as const

export function peopleRoutes({ people, mailer, publicUrl }: PeopleRouteParts): Route[] {
  const invitationView = (row: InvitationRow, isLinkShown: boolean): z.input<typeof Invitation> => ({
    id: row.id,
    email: row.email,
    role: row.role,
    is_mailed: mailer !== null,
    link: isLinkShown ? `${publicUrl}/console/invitations/${invitationToken(people, row.id)}` : null,
    expires_at: row.expires_at.toISOString(),
    created_at: row.created_at.toISOString(),
  })
  const roleOf = async (tx: Tx, caller: PersonCaller, personId: string) =>
    (await listTeam(people, tx, caller.orgId)).members.find((member) => member.person_id === personId)?.role
  const roleOffered = async (tx: Tx, caller: PersonCaller, is: (invitation: InvitationRow) => boolean) =>
    (await listTeam(people, tx, caller.orgId)).invitations.find(is)?.role
  return [
    defineRoute({
      ...shared,
      id: 'listPeople',
      method: 'GET',
      path: '/people',
      summary: 'List people',
      access: session(null),
      reply: { status: 200, body: Team },
      example: { reply: { members: [example], invitations: [invitationExample] } },
      async handle({ caller, queries }) {
        const { members, invitations } = await listTeam(people, queries, caller.orgId)
        return {
          members: members.map(memberView),
          invitations: invitations.map((row) => invitationView(row, maySeeLink(caller, row))),
        }
      },
    }),
    defineRoute({
      ...shared,
      id: 'invitePerson',
      method: 'POST',
      path: '/invitations',
      summary: 'Invite a person',
      access: session('people:manage'),
      body: NewInvitation,
      reply: { status: 201, body: Invitation },
      errors: [personAlreadyMember],
      showsSecret: true,
      idempotency: 'transaction',
      example: { body: { email: 'budi@example.com', role: 'developer' }, reply: invitationExample },
      async handle({ tx, body, caller }) {
        // A newer invitation ends the older one to the same address.
        const email = normalEmail(body.email)
        assertMayGive(caller, body.role, await roleOffered(tx, caller, (invitation) => invitation.email === email))
        const invitation = await invite(people, tx, caller.orgId, { ...body, inviterId: caller.id })
        const view = invitationView(invitation, true)
        const organization = caller.memberships.find(({ org_id }) => org_id === caller.orgId)?.name ?? ''
        const inviter = caller.person.name
        const mail = invitationMail({ email: invitation.email, organization, inviter }, view.link as string)
        tx.afterCommit(() => mailer?.post(mail))
        return view
      },
    }),
    defineChange({
      ...shared,
      id: 'withdrawInvitation',
      method: 'DELETE',
      path: '/invitations/{id}',
      summary: 'Revoke an invitation',
      access: session('people:manage'),
      params,
      reply: { status: 204, body: null },
      errors: [invitationInvalid],
      example: { params: { id: invitationExample.id }, reply: null },
      async handle({ tx, params: { id }, caller }) {
        assertMayGive(caller, await roleOffered(tx, caller, (invitation) => invitation.id === id))
        await withdrawInvitation(tx, caller.orgId, id)
        return undefined
      },
    }),
    defineChange({
      ...shared,
      id: 'changeRole',
      method: 'PATCH',
      path: '/people/{id}',
      summary: 'Change the role of a person',
      access: session('people:manage'),
      params,
      body: z.strictObject({ role: roleSchema }),
      reply: { status: 200, body: Member },
      errors: [personNotFound, ownerRequired],
      example: { params: { id: example.id }, body: { role: 'admin' }, reply: { ...example, role: 'admin' } },
      async handle({ tx, params: { id }, body, caller }) {
        assertMayGive(caller, body.role, await roleOf(tx, caller, id))
        await changeRole(tx, caller.orgId, id, body.role)
        const { members } = await listTeam(people, tx, caller.orgId)
        return memberView(members.find((member) => member.person_id === id) as MemberRow)
      },
    }),
    defineChange({
      ...shared,
      id: 'removePerson',
      method: 'DELETE',
      path: '/people/{id}',
      summary: 'Remove a person from the organization',
      access: session('people:manage'),
      params,
      reply: { status: 204, body: null },
      errors: [personNotFound, ownerRequired],
      example: { params: { id: example.id }, reply: null },
      async handle({ tx, params: { id }, caller }) {
        assertMayGive(caller, await roleOf(tx, caller, id))
        await removeMember(tx, caller.orgId, id)
        return undefined
      },
    }),
  ]
}
