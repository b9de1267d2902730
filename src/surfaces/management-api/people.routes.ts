import { z } from 'zod'
import { findOrganizationById } from '../../accounts/organizations/organizations.ts'
import {
  invitationInvalid,
  ownerRequired,
  personAlreadyMember,
  personNotFound,
  sandboxPeople,
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
import { defineList } from '../../platform/http/define-list.ts'
import { defineChange, defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import { powerMissing } from '../../platform/http/http.errors.ts'
import type { Caller } from '../../platform/http/pipeline/caller.ts'
import { idSchema, textSchema, timeSchema } from '../../platform/http/schemas.ts'
import type { Mailer } from '../../platform/mail/mail.ts'
import { pageOf, pageQuery } from './shared.ts'

/** The members of an organization by API. */
export type PeopleRouteParts = {
  people: PeopleContext
  /** Sends the link; without a mailer the caller hands it over. */
  mailer: Mailer | null
  publicUrl: string
}

const roleSchema = z.enum(roleNames).meta({ description: 'What the person may do in the organization.' })
const personId = idSchema('usr')

const PersonShape = z
  .object({
    object: z.literal('person'),
    id: personId,
    name: textSchema(200),
    email: textSchema(254),
    role: roleSchema,
    is_two_factor_on: z.boolean(),
    joined_at: timeSchema,
    last_seen_at: timeSchema.nullable(),
  })
  .meta({ id: 'Person', description: 'A member of the organization.' })

const InvitationShape = z
  .object({
    object: z.literal('invitation'),
    id: idSchema('inv'),
    email: textSchema(254),
    role: roleSchema,
    is_mailed: z.boolean().meta({ description: 'False if this server sends no mail: send the link yourself.' }),
    expires_at: timeSchema,
    created_at: timeSchema,
  })
  .meta({ id: 'PendingInvitation', description: 'An invitation that was not accepted yet.' })

const NewInvitationShape = InvitationShape.extend({
  link: textSchema(2048).meta({ description: 'Its holder can join. It is only in this response.' }),
}).meta({ id: 'CreatedInvitation', description: 'An invitation that was just created, with its link.' })

const email = z
  .string()
  .max(254)
  .regex(/^[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/, 'This must be an e-mail address.')
  .meta({ format: 'email', description: 'Where the invitation goes. The person joins with this address.' })
const InvitationInput = z
  .strictObject({ email, role: roleSchema })
  .meta({ id: 'NewInvitation', description: 'A person to invite.' })
const RoleInput = z.strictObject({ role: roleSchema }).meta({ id: 'RoleChange', description: 'A role to assign.' })

const personExample = {
  object: 'person',
  id: 'usr_01kmz3v7n2e0a8tq9fj6hx5c4d',
  name: 'Sari',
  email: 'sari@example.com',
  role: 'owner',
  is_two_factor_on: false,
  joined_at: '2026-11-14T09:30:00.000Z',
  last_seen_at: null,
}
const invitationExample = {
  object: 'invitation',
  id: 'inv_01kmz3v7n2e0a8tq9fj6hx5c4d',
  email: 'budi@example.com',
  role: 'developer',
  is_mailed: true,
  expires_at: '2026-11-21T09:30:00.000Z',
  created_at: '2026-11-14T09:30:00.000Z',
}
const shared = { tag: 'People' } as const
const managed = { ...shared, access: key('people:write') } as const

const presentPerson = (row: MemberRow): z.input<typeof PersonShape> => ({
  object: 'person',
  id: row.person_id,
  name: row.name,
  email: row.email,
  role: row.role,
  is_two_factor_on: row.is_two_factor_on,
  joined_at: row.joined_at.toISOString(),
  last_seen_at: row.last_seen_at?.toISOString() ?? null,
})

/** Owners are added, changed and removed by owners, and by the platform that created the organization. */
function assertMayGive({ powers }: Caller, ...rolesInvolved: (Role | undefined)[]): void {
  if (rolesInvolved.includes('owner') && !powers?.includes('owners:manage'))
    throw powerMissing({
      says: 'This key cannot add, change or remove owners. Ask an owner to do it in the console.',
      params: { required: 'owners:manage' },
    })
}

export function peopleRoutes({ people, mailer, publicUrl }: PeopleRouteParts): Route[] {
  const presentInvitation = (row: InvitationRow): z.input<typeof InvitationShape> => ({
    object: 'invitation',
    id: row.id,
    email: row.email,
    role: row.role,
    is_mailed: mailer !== null,
    expires_at: row.expires_at.toISOString(),
    created_at: row.created_at.toISOString(),
  })
  const roleOf = async (tx: Tx, { orgId }: Caller, id: string) =>
    (await listTeam(people, tx, orgId)).members.find(({ person_id }) => person_id === id)?.role
  const roleOffered = async (tx: Tx, { orgId }: Caller, is: (invitation: InvitationRow) => boolean) =>
    (await listTeam(people, tx, orgId)).invitations.find(is)?.role
  return [
    defineList({
      ...shared,
      id: 'listPeople',
      path: '/people',
      summary: 'List people',
      description: 'All members of the organization.',
      access: key('people:read'),
      query: pageQuery,
      item: PersonShape,
      example: { items: [personExample] },
      list: 'people',
      sort: '-id',
      async read({ caller, queries, ...page }) {
        const { members } = await listTeam(people, queries, caller.orgId)
        return pageOf(
          members.map((member) => ({ ...member, id: member.person_id })),
          page,
        )
      },
      place: ({ id }) => [id],
      present: (rows) => rows.map(presentPerson),
    }),
    defineChange({
      ...managed,
      id: 'changeRole',
      method: 'PATCH',
      path: '/people/{id}',
      summary: 'Change the role of a person',
      description: 'The new role applies to the next request of the person. Owners are changed by owners only.',
      params: z.object({ id: personId }),
      body: RoleInput,
      reply: { status: 200, body: PersonShape },
      errors: [personNotFound, ownerRequired, powerMissing],
      example: {
        params: { id: personExample.id },
        body: { role: 'admin' },
        reply: { ...personExample, role: 'admin' },
      },
      async handle({ tx, params: { id }, body, caller }) {
        assertMayGive(caller, body.role, await roleOf(tx, caller, id))
        await changeRole(tx, caller.orgId, id, body.role)
        const { members } = await listTeam(people, tx, caller.orgId)
        return presentPerson(members.find(({ person_id }) => person_id === id) as MemberRow)
      },
    }),
    defineChange({
      ...managed,
      id: 'removePerson',
      method: 'DELETE',
      path: '/people/{id}',
      summary: 'Remove a person',
      description: 'Removes the person from the organization. Their account and their other organizations stay.',
      params: z.object({ id: personId }),
      reply: { status: 204, body: null },
      errors: [personNotFound, ownerRequired, powerMissing],
      example: { params: { id: personExample.id }, reply: null },
      async handle({ tx, params: { id }, caller }) {
        assertMayGive(caller, await roleOf(tx, caller, id))
        await removeMember(tx, caller.orgId, id)
        return undefined
      },
    }),
    defineList({
      ...shared,
      id: 'listInvitations',
      path: '/invitations',
      summary: 'List invitations',
      description: 'Invitations that were not accepted yet and have not expired, newest first.',
      access: key('people:read'),
      query: pageQuery,
      item: InvitationShape,
      example: { items: [invitationExample] },
      list: 'invitations',
      sort: '-id',
      read: async ({ caller, queries, ...page }) =>
        pageOf((await listTeam(people, queries, caller.orgId)).invitations, page),
      place: ({ id }) => [id],
      present: (rows) => rows.map(presentInvitation),
    }),
    defineRoute({
      ...managed,
      id: 'invitePerson',
      method: 'POST',
      path: '/invitations',
      summary: 'Invite a person',
      description:
        'Creates an invitation for a week and returns its link, once. Where the server sends mail, the link is mailed as well. A newer invitation to the same address replaces it.',
      body: InvitationInput,
      reply: { status: 201, body: NewInvitationShape },
      errors: [personAlreadyMember, sandboxPeople, powerMissing],
      showsSecret: true,
      idempotency: 'transaction',
      example: {
        body: { email: 'budi@example.com', role: 'developer' },
        reply: { ...invitationExample, link: 'https://pay.example.com/console/invitations/inv_x.y' },
      },
      async handle({ tx, body, caller }) {
        const address = normalEmail(body.email)
        assertMayGive(caller, body.role, await roleOffered(tx, caller, (invitation) => invitation.email === address))
        const inviterId = caller.type === 'user' ? caller.id : null
        const invitation = await invite(people, tx, caller.orgId, { ...body, inviterId })
        const link = `${publicUrl}/console/invitations/${invitationToken(people, invitation.id)}`
        const organization = (await findOrganizationById(tx, caller.orgId))?.name ?? ''
        const mail = invitationMail({ email: invitation.email, organization, inviter: organization }, link)
        tx.afterCommit(() => mailer?.post(mail))
        return { ...presentInvitation(invitation), link }
      },
    }),
    defineChange({
      ...managed,
      id: 'withdrawInvitation',
      method: 'DELETE',
      path: '/invitations/{id}',
      summary: 'Revoke an invitation',
      description: 'The link stops working.',
      params: z.object({ id: idSchema('inv') }),
      reply: { status: 204, body: null },
      errors: [invitationInvalid, powerMissing],
      example: { params: { id: invitationExample.id }, reply: null },
      async handle({ tx, params: { id }, caller }) {
        assertMayGive(caller, await roleOffered(tx, caller, (invitation) => invitation.id === id))
        await withdrawInvitation(tx, caller.orgId, id)
        return undefined
      },
    }),
  ]
}
