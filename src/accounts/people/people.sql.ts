import type { OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import type { Role } from './roles.ts'

export type MembershipRow = {
  org_id: OrgId
  name: string
  slug: string
  role: Role
  created_at: Date
  /** The live organization, for the membership of its sandbox. */
  sandbox_of: OrgId | null
}

/** A member of a live organization is a member of its sandbox, with the same role. */
export const listMembershipsOf = (database: Queries, personId: string) =>
  database.many<MembershipRow>`
    select organizations.id as org_id, organizations.name, organizations.slug, memberships.role, memberships.created_at,
      organizations.sandbox_of
    from memberships
    join organizations on organizations.id = memberships.org_id or organizations.sandbox_of = memberships.org_id
    where memberships.person_id = ${personId}
    order by memberships.created_at, memberships.id, organizations.sandbox_of nulls first`

export type MemberRow = {
  person_id: string
  name: string
  email: string
  role: Role
  is_two_factor_on: boolean
  joined_at: Date
  last_seen_at: Date | null
}

export const listMembers = (database: Queries, orgId: OrgId) =>
  database.many<MemberRow>`
    select people.id as person_id, people.name, people.email, memberships.role,
      coalesce(people.is_two_factor_on, false) as is_two_factor_on, memberships.created_at as joined_at,
      (select max(sessions.updated_at) from sessions where sessions.person_id = people.id) as last_seen_at
    from organizations
    join memberships on memberships.org_id = coalesce(organizations.sandbox_of, organizations.id)
    join people on people.id = memberships.person_id
    where organizations.id = ${orgId}
    order by memberships.created_at, memberships.id`

/** Locks every membership of the organization, so that two owners cannot step down at the same moment. */
export const lockMembers = (tx: Tx, orgId: OrgId) =>
  tx.many<{ person_id: string; role: Role }>`
    select person_id, role from memberships where org_id = ${orgId} order by id for update`

/** Null for a sandbox, which has no members besides those of its live organization. */
export const findLiveOrganization = (tx: Tx, orgId: OrgId) =>
  tx.maybeOne<{ id: OrgId }>`select id from organizations where id = ${orgId} and sandbox_of is null`

export const insertMembership = (
  tx: Tx,
  membership: { id: string; orgId: OrgId; personId: string; role: Role; createdAt: Date },
) =>
  tx.run`
    insert into memberships (id, org_id, person_id, role, created_at)
    values (${membership.id}, ${membership.orgId}, ${membership.personId}, ${membership.role}, ${membership.createdAt})
    on conflict (org_id, person_id) do nothing`

export const updateMembershipRole = (tx: Tx, orgId: OrgId, personId: string, role: Role) =>
  tx.run`update memberships set role = ${role} where org_id = ${orgId} and person_id = ${personId}`

export const deleteMembership = (tx: Tx, orgId: OrgId, personId: string) =>
  tx.run`delete from memberships where org_id = ${orgId} and person_id = ${personId}`

export const setActiveOrganization = (queries: Queries, sessionId: string, orgId: OrgId) =>
  queries.run`update sessions set active_org_id = ${orgId} where id = ${sessionId}`

/** Sessions that were at work in the organization the person has just left go on without one. */
export const clearActiveOrganization = (tx: Tx, orgId: OrgId, personId: string) =>
  tx.run`update sessions set active_org_id = null where active_org_id = ${orgId} and person_id = ${personId}`

/** The condition keeps calls at the same moment from writing twice. */
export const markSessionSeen = (queries: Queries, id: string, { seenAt, before }: { seenAt: Date; before: Date }) =>
  queries.run`update sessions set updated_at = ${seenAt} where id = ${id} and updated_at <= ${before}`

export type PersonRow = { id: string; name: string; email: string; created_at: Date }

export const findPersonByEmail = (database: Queries, email: string) =>
  database.maybeOne<PersonRow>`select id, name, email, created_at from people where email = ${email}`

export const listPeople = (database: Queries) =>
  database.many<PersonRow>`select id, name, email, created_at from people order by id`

export const insertPerson = (tx: Tx, person: PersonRow) =>
  tx.run`
    insert into people (id, name, email, is_email_verified, created_at, updated_at)
    values (${person.id}, ${person.name}, ${person.email}, true, ${person.created_at}, ${person.created_at})`

export const insertPassword = (tx: Tx, personId: string, credential: { id: string; passwordHash: string; at: Date }) =>
  tx.run`
    insert into person_credentials (id, person_id, account_id, provider_id, password, created_at, updated_at)
    values (${credential.id}, ${personId}, ${personId}, 'credential', ${credential.passwordHash}, ${credential.at}, ${credential.at})`

export const updatePassword = (tx: Tx, personId: string, { passwordHash, at }: { passwordHash: string; at: Date }) =>
  tx.run`
    update person_credentials set password = ${passwordHash}, updated_at = ${at}
    where person_id = ${personId} and provider_id = 'credential'`

export const deleteSecondFactor = async (tx: Tx, personId: string): Promise<boolean> => {
  await tx.run`update people set is_two_factor_on = false where id = ${personId}`
  return (await tx.run`delete from second_factors where person_id = ${personId}`) > 0
}

/** Links to set a password, and sign-ins that await their code: the library stores the person as the value of both. */
export const deletePendingProofs = (queries: Queries, personId: string) =>
  queries.run`delete from person_verifications where value = ${personId}`

export const uncountAttempt = (queries: Queries, key: string) =>
  queries.run`update sign_in_limits set count = count - 1 where key = ${key} and count > 0`

export type InvitationRow = {
  id: string
  org_id: OrgId
  email: string
  role: Role
  status: string
  /** Null when a key invited. */
  inviter_id: string | null
  expires_at: Date
  created_at: Date
}

export const insertInvitation = (tx: Tx, invitation: InvitationRow) =>
  tx.run`
    insert into invitations (id, org_id, email, role, status, inviter_id, expires_at, created_at)
    values (${invitation.id}, ${invitation.org_id}, ${invitation.email}, ${invitation.role}, ${invitation.status},
      ${invitation.inviter_id}, ${invitation.expires_at}, ${invitation.created_at})`

/** A newer invitation replaces an older one to the same address. */
export const cancelInvitationsTo = (tx: Tx, orgId: OrgId, email: string) =>
  tx.run`
    update invitations set status = 'canceled' where org_id = ${orgId} and email = ${email} and status = 'pending'`

/** Cancels a person's pending invitations to roles that they may no longer assign. */
export const cancelInvitationsBy = (tx: Tx, orgId: OrgId, { personId, except }: { personId: string; except: Role[] }) =>
  tx.run`
    update invitations set status = 'canceled'
    where org_id = ${orgId} and inviter_id = ${personId} and status = 'pending' and role <> all(${except}::text[])`

export const cancelInvitation = (tx: Tx, orgId: OrgId, id: string) =>
  tx.run`update invitations set status = 'canceled' where org_id = ${orgId} and id = ${id} and status = 'pending'`

export const listPendingInvitations = (database: Queries, orgId: OrgId, now: Date) =>
  database.many<InvitationRow>`
    select id, org_id, email, role, status, inviter_id, expires_at, created_at from invitations
    where org_id = ${orgId} and status = 'pending' and expires_at > ${now}
    order by created_at desc`

export const lockInvitation = (tx: Tx, id: string) =>
  tx.maybeOne<InvitationRow & { organization_name: string }>`
    select invitations.id, org_id, email, role, status, inviter_id, expires_at, invitations.created_at,
      organizations.name as organization_name
    from invitations join organizations on organizations.id = invitations.org_id
    where invitations.id = ${id} for update of invitations`

/** Of every organization: the email was verified, not a link. */
export const lockInvitationsTo = (tx: Tx, email: string, now: Date) =>
  tx.many<Pick<InvitationRow, 'id' | 'org_id' | 'role'>>`
    select id, org_id, role from invitations
    where email = ${email} and status = 'pending' and expires_at > ${now}
    order by created_at, id for update`

export const markInvitationAccepted = (tx: Tx, id: string) =>
  tx.run`update invitations set status = 'accepted' where id = ${id}`

export type PasskeyRow = {
  id: string
  name: string
  is_backed_up: boolean
  created_at: Date
  last_used_at: Date | null
}

export const listPasskeys = (queries: Queries, personId: string) =>
  queries.many<PasskeyRow>`
    select id, name, is_backed_up, created_at, last_used_at from passkeys
    where person_id = ${personId} order by created_at, id`

export const findPasskeyOwner = (queries: Queries, credentialId: string) =>
  queries.maybeOne<{ id: string; email: string }>`
    select people.id, people.email from passkeys join people on people.id = passkeys.person_id
    where credential_id = ${credentialId}`

export const markPasskeyUsed = (queries: Queries, credentialId: string, at: Date) =>
  queries.run`update passkeys set last_used_at = ${at} where credential_id = ${credentialId}`

export const deletePasskeys = (tx: Tx, personId: string) => tx.run`delete from passkeys where person_id = ${personId}`

export type Spending = { key: string; nowMs: number; intervalMs: number; capacityMs: number }

/**
 * No row when the limit is used up. The bound on the stored time keeps a clock that was set back from refusing for long. The id is
 * random, so that two first attempts at once meet in `key` alone, which is the conflict that is handled.
 */
export const spendGuess = (queries: Queries, { key, nowMs, intervalMs, capacityMs }: Spending) =>
  queries.maybeOne<{ last_request: number }>`
    insert into sign_in_limits as held (id, key, count, last_request)
    values (gen_random_uuid()::text, ${key}, 0, ${nowMs + intervalMs})
    on conflict (key) do update
      set last_request = least(greatest(held.last_request, ${nowMs}::bigint), ${nowMs + capacityMs}::bigint) + ${intervalMs}::bigint
      where least(greatest(held.last_request, ${nowMs}::bigint), ${nowMs + capacityMs}::bigint) + ${intervalMs}::bigint
        <= ${nowMs + capacityMs}::bigint
    returning last_request`

export const findSpent = (queries: Queries, key: string) =>
  queries.maybeOne<{ last_request: number }>`select last_request from sign_in_limits where key = ${key}`

export const refundGuess = (queries: Queries, key: string, intervalMs: number) =>
  queries.run`update sign_in_limits set last_request = last_request - ${intervalMs}::bigint where key = ${key}`

/** One row when the code is new, none when it was used before. */
export const insertUsedCode = (database: Queries, code: { id: string; identifier: string; expiresAt: Date }) =>
  database.run`
    insert into person_verifications (id, identifier, value, expires_at)
    values (${code.id}, ${code.identifier}, '', ${code.expiresAt})
    on conflict (id) do nothing`

export const deleteExpiredCodes = (database: Queries, identifier: string, now: Date) =>
  database.run`delete from person_verifications where identifier = ${identifier} and expires_at <= ${now}`

export const deleteUsedCode = (database: Queries, id: string) =>
  database.run`delete from person_verifications where id = ${id}`
