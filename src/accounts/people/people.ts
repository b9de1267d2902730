import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import { isSameSecret } from '../../kernel/same-secret.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import { INVITATION_DAYS } from './auth-plugins.ts'
import { type DashboardAuth, PASSWORD_CHARACTERS_MIN } from './dashboard-auth.ts'
import {
  invitationInvalid,
  ownerRequired,
  passwordTooShort,
  personAlreadyMember,
  personNotFound,
  sandboxPeople,
} from './people.errors.ts'
import {
  cancelInvitation,
  cancelInvitationsBy,
  cancelInvitationsTo,
  clearActiveOrganization,
  deleteMembership,
  deletePasskeys,
  deleteSecondFactor,
  findLiveOrganization,
  findPersonByEmail,
  type InvitationRow,
  insertInvitation,
  insertMembership,
  insertPassword,
  insertPerson,
  listMembers,
  listMembershipsOf,
  listPendingInvitations,
  lockInvitation,
  lockInvitationsTo,
  lockMembers,
  markInvitationAccepted,
  type PersonRow,
  updateMembershipRole,
  updatePassword,
} from './people.sql.ts'
import { type Role, rolesGivenBy } from './roles.ts'

export { ACCESS_TOKEN_LEAD, CONSENT_PAGE, LASTING, REFRESH_TOKEN_LEAD } from './auth-plugins.ts'
export {
  type AuthAnswer,
  type AuthPerson,
  type AuthQuestion,
  createDashboardAuth,
  type DashboardAuth,
  PASSWORD_CHARACTERS_MAX,
  PASSWORD_CHARACTERS_MIN,
  type PasswordKeeping,
} from './dashboard-auth.ts'
export {
  claimCode,
  createGuessThrottle,
  createKnownDevices,
  type GuessedSecret,
  releaseCode,
} from './guess-throttle.ts'
export { invitationMail, resetMail } from './people-mails.ts'
export { type AccountAct, recordAccountAct, recordRefusal } from './person-audit.ts'
export { isRole, powersIn, type Role, roleNames, roles } from './roles.ts'
export {
  hasSignedInWithSso,
  SSO_CALLBACK_PATH,
  SSO_START_PATH,
  type SsoClaims,
  type SsoSettings,
  ssoStart,
} from './single-sign-on.ts'

/**
 * People and their place in organizations. There is no open registration: the operator creates a person (at the first
 * start, on the command line), or the person accepts an invitation.
 *
 *   (invited) pending ── accepted by the holder of the link ──▶ member
 *             pending ── withdrawn, replaced by a newer one, a week old, inviter lost the right to invite ──▶ gone
 *
 * The token of an invitation is computed from its id, so it is stored nowhere and can be shown again.
 */
export type PeopleContext = {
  database: Database
  clock: Clock
  auth: Pick<DashboardAuth, 'hashPassword'>
  /** Signs the tokens of invitations. */
  secret: Uint8Array
}

export type { InvitationRow, MemberRow, MembershipRow, PasskeyRow, PersonRow } from './people.sql.ts'
export {
  findPasskeyOwner,
  findPersonByEmail,
  listMembers,
  listMembershipsOf,
  listPasskeys,
  listPeople,
  markPasskeyUsed,
  markSessionSeen,
  setActiveOrganization,
} from './people.sql.ts'

/** Upper bound on passkeys per person. */
export const PASSKEYS_MAX = 20

export const normalEmail = (email: string) => email.trim().toLowerCase()

export type NewPerson = { name: string; email: string; password: string }

export async function createPerson(context: PeopleContext, input: NewPerson): Promise<PersonRow> {
  const passwordHash = await hashed(context, input.password)
  return context.database.transaction((tx) => insertWithPassword(tx, context.clock, input, passwordHash))
}

/** Sets a generated password. People change their own through the console, which ends their other sessions. */
export async function replacePassword(context: PeopleContext, personId: string, password: string): Promise<void> {
  const passwordHash = await hashed(context, password)
  const at = new Date(context.clock.now())
  await context.database.transaction((tx) => updatePassword(tx, personId, { passwordHash, at }))
}

/** The validation error of the password field, with the bound as data for translations. */
export const tooShort = (pointer: string) => ({
  pointer,
  code: 'too_short',
  detail: passwordTooShort.says,
  params: { min: PASSWORD_CHARACTERS_MIN },
})

async function hashed({ auth }: PeopleContext, password: string): Promise<string> {
  if (password.length < PASSWORD_CHARACTERS_MIN) throw passwordTooShort({ errors: [tooShort('#/password')] })
  return auth.hashPassword(password)
}

async function insertWithPassword(tx: Tx, clock: Clock, input: NewPerson, passwordHash: string): Promise<PersonRow> {
  const now = new Date(clock.now())
  const person = { id: newId('usr', clock.now()), name: input.name, email: normalEmail(input.email), created_at: now }
  await insertPerson(tx, person)
  await insertPassword(tx, person.id, { id: newId('usr', clock.now()), passwordHash, at: now })
  return person
}

export const addMember = (context: PeopleContext, orgId: OrgId, personId: string, role: Role): Promise<void> =>
  context.database.transaction((tx) => insertMember(tx, context.clock, orgId, personId, role))

async function insertMember(tx: Tx, clock: Clock, orgId: OrgId, personId: string, role: Role): Promise<void> {
  if ((await findLiveOrganization(tx, orgId)) === null) throw sandboxPeople()
  const nowMs = clock.now()
  await insertMembership(tx, { id: newId('mem', nowMs), orgId, personId, role, createdAt: new Date(nowMs) })
}

export async function listTeam({ clock }: Pick<PeopleContext, 'clock'>, queries: Queries, orgId: OrgId) {
  const now = new Date(clock.now())
  const [members, invitations] = await Promise.all([
    listMembers(queries, orgId),
    listPendingInvitations(queries, orgId, now),
  ])
  return { members, invitations }
}

/** `inviterId` is null when a key invites. */
export type NewInvitation = { email: string; role: Role; inviterId: string | null }

export async function invite(
  { clock }: PeopleContext,
  tx: Tx,
  orgId: OrgId,
  { email, role, inviterId }: NewInvitation,
): Promise<InvitationRow> {
  if ((await findLiveOrganization(tx, orgId)) === null) throw sandboxPeople()
  const nowMs = clock.now()
  const invitation: InvitationRow = {
    id: newId('inv', nowMs),
    org_id: orgId,
    email: normalEmail(email),
    role,
    status: 'pending',
    inviter_id: inviterId,
    expires_at: new Date(nowMs + INVITATION_DAYS * 24 * 3600 * 1000),
    created_at: new Date(nowMs),
  }
  const members = await listMembers(tx, orgId)
  if (members.some((member) => member.email === invitation.email)) throw personAlreadyMember()
  await cancelInvitationsTo(tx, orgId, invitation.email)
  await insertInvitation(tx, invitation)
  return invitation
}

export const invitationToken = ({ secret }: PeopleContext, id: string): string =>
  `${id}.${createHmac('sha256', secret).update(id).digest('base64url')}`

function invitationIdOf(context: PeopleContext, token: string): string {
  const id = token.slice(0, Math.max(token.indexOf('.'), 0))
  if (!isSameSecret(token, invitationToken(context, id))) throw invitationInvalid()
  return id
}

type OpenInvitation = InvitationRow & { organization_name: string }

async function takeInvitation(tx: Tx, context: PeopleContext, token: string): Promise<OpenInvitation> {
  const invitation = await lockInvitation(tx, invitationIdOf(context, token))
  if (invitation === null || invitation.status !== 'pending' || invitation.expires_at.getTime() <= context.clock.now())
    throw invitationInvalid()
  return invitation
}

/** What the page of an invitation shows before anything is decided. */
export const readInvitation = (context: PeopleContext, token: string) =>
  context.database.transaction(async (tx) => {
    const invitation = await takeInvitation(tx, context, token)
    return { invitation, isKnownPerson: (await findPersonByEmail(tx, invitation.email)) !== null }
  })

/**
 * The holder of the link joins under the invited email. A new person is created with the given name and password; a
 * known person must be signed in.
 */
export async function acceptInvitation(
  context: PeopleContext,
  token: string,
  as: { newPerson: { name: string; password: string } } | { email: string },
): Promise<{ orgId: OrgId; personId: string; email: string }> {
  const passwordHash = 'newPerson' in as ? await hashedToJoin(context, token, as.newPerson.password) : null
  return context.database.transaction(async (tx) => {
    const invitation = await takeInvitation(tx, context, token)
    const known = await findPersonByEmail(tx, invitation.email)
    const person =
      'newPerson' in as && known === null && passwordHash !== null
        ? await insertWithPassword(tx, context.clock, { ...as.newPerson, email: invitation.email }, passwordHash)
        : known
    if (person === null || ('email' in as && as.email !== invitation.email) || ('newPerson' in as && known !== null))
      throw invitationInvalid()
    await insertMember(tx, context.clock, invitation.org_id, person.id, invitation.role)
    await markInvitationAccepted(tx, invitation.id)
    return { orgId: invitation.org_id, personId: person.id, email: invitation.email }
  })
}

/**
 * The person with an email that single sign-on has verified: a member, or the holder of open invitations, who joins with all of
 * them. Null for anyone else.
 */
export const admitByEmail = (
  { database, clock }: PeopleContext,
  { email, name }: { email: string; name: string },
): Promise<{ person: PersonRow; joined: OrgId[] } | null> =>
  database.transaction(async (tx) => {
    const now = new Date(clock.now())
    // Locked first, so that of two sign-ins at once the later finds the person whom the earlier created.
    const invitations = await lockInvitationsTo(tx, email, now)
    const known = await findPersonByEmail(tx, email)
    if (known !== null && (await listMembershipsOf(tx, known.id)).length > 0) return { person: known, joined: [] }
    if (invitations.length === 0) return null
    const person = known ?? { id: newId('usr', clock.now()), name, email, created_at: now }
    if (known === null) await insertPerson(tx, person)
    for (const invitation of invitations) {
      await insertMember(tx, clock, invitation.org_id, person.id, invitation.role)
      await markInvitationAccepted(tx, invitation.id)
    }
    return { person, joined: invitations.map(({ org_id }) => org_id) }
  })

/** Hashing is slow on purpose, so it is skipped for invented and used tokens. */
async function hashedToJoin(context: PeopleContext, token: string, password: string): Promise<string> {
  const { isKnownPerson } = await readInvitation(context, token)
  if (isKnownPerson) throw invitationInvalid()
  return hashed(context, password)
}

export async function withdrawInvitation(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  if ((await cancelInvitation(tx, orgId, id)) === 0) throw invitationInvalid()
}

/**
 * The caller checks that only owners add and remove owners. One owner always remains. An inviter knows the link and can
 * join with it under another name, so invitations to roles that the inviter may no longer assign are canceled.
 */
export async function changeRole(tx: Tx, orgId: OrgId, personId: string, role: Role): Promise<void> {
  assertOwnerRemains(await lockMembers(tx, orgId), personId, role)
  await updateMembershipRole(tx, orgId, personId, role)
  await cancelInvitationsBy(tx, orgId, { personId, except: rolesGivenBy(role) })
}

/**
 * For the operator, when a person has lost their phone and their backup codes. False when there was no second factor.
 */
export const removeSecondFactor = (tx: Tx, personId: string): Promise<boolean> => deleteSecondFactor(tx, personId)

/** For the operator, when a device was lost or a passkey is suspect. Returns the number of removed passkeys. */
export const removePasskeys = (tx: Tx, personId: string): Promise<number> => deletePasskeys(tx, personId)

export async function removeMember(tx: Tx, orgId: OrgId, personId: string): Promise<void> {
  assertOwnerRemains(await lockMembers(tx, orgId), personId, null)
  await deleteMembership(tx, orgId, personId)
  await clearActiveOrganization(tx, orgId, personId)
  await cancelInvitationsBy(tx, orgId, { personId, except: [] })
}

function assertOwnerRemains(members: { person_id: string; role: Role }[], personId: string, role: Role | null): void {
  if (members.every((member) => member.person_id !== personId)) throw personNotFound()
  const owners = members.filter((member) => member.role === 'owner' && member.person_id !== personId)
  if (owners.length === 0 && role !== 'owner') throw ownerRequired()
}

/** Good enough to be read aloud once: 20 characters, no look-alikes. */
export function randomPassword(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
  const characters = [...randomBytes(20)].map((byte) => alphabet[byte % alphabet.length])
  return characters.join('').replace(/(.{5})(?=.)/g, '$1-')
}
