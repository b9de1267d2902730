import { getOrganizationBySlug, type Organization } from '../accounts/organizations/organizations.ts'
import {
  addMember,
  createPerson,
  findPersonByEmail,
  isRole,
  listMembershipsOf,
  listPeople,
  normalEmail,
  PASSWORD_CHARACTERS_MIN,
  type Role,
  randomPassword,
  removePasskeys,
  removeSecondFactor,
  roleNames,
} from '../accounts/people/people.ts'
import { peopleContext } from '../boot/contexts.ts'
import { loadSecretKey } from '../boot/secret-key.ts'
import type { Config } from '../config.ts'
import { systemClock } from '../kernel/clock.ts'
import { StartError } from '../kernel/errors.ts'
import type { Database } from '../platform/database/database.ts'
import { createLog } from '../platform/telemetry/log.ts'
import { type CommandValues, defineCommand, jsonOption, orgOption, readName, UsageError } from './framework/command.ts'
import { type CommandAct, createCommandAudit, type EnterAct } from './framework/command-audit.ts'
import { findPublicUrl, withDatabase } from './framework/connection.ts'
import { printJson, printLine, printList } from './framework/output.ts'

/** The people who sign in to the console, for the operator. */
const emailOption = {
  type: 'string',
  help: 'email address that the person signs in with',
  placeholder: 'address',
  isRequired: true,
} as const

export const personCommands = [
  defineCommand({
    name: 'person create',
    summary: 'Add a person who can sign in to the console',
    details:
      'An existing person joins the organization and keeps their name and password. Without --password-env, a password is generated and printed once.',
    examples: ['npx nexkit person create --org demo-store --email sari@example.com --name Sari --role agent'],
    options: {
      org: orgOption,
      email: emailOption,
      name: { type: 'string', help: 'name of the person', placeholder: 'name', isRequired: true },
      role: { type: 'string', help: roleNames.join(', '), placeholder: 'role', fallback: 'admin' },
      'password-env': { type: 'string', help: 'environment variable that holds the password', placeholder: 'NAME' },
      json: jsonOption,
    },
    async run({ values }) {
      const role = readRole(String(values.role))
      const email = readEmail(values)
      const given = readPassword(values)
      const name = readName(values)
      const { isKnown, ...created } = await withDatabase(async (database, config) => {
        const organization = await getOrganizationBySlug(database, String(values.org))
        return letIn(database, config, { organization, email, name, role, password: given })
      })
      if (values.json) return printJson({ object: 'person', ...created })
      printLine(`Added ${created.email} to "${values.org}" as ${created.role}. Sign in at ${created.url}`)
      if (isKnown) printLine(`The person already exists as "${created.name}"; name and password are unchanged.`)
      if (created.password !== null) printLine(`Password (shown once): ${created.password}`)
    },
  }),
  defineCommand({
    name: 'person list',
    summary: 'List the people who can sign in',
    examples: ['npx nexkit person list'],
    options: { json: jsonOption },
    async run({ values }) {
      const people = await withDatabase(async (database) => {
        const rows = await listPeople(database)
        return Promise.all(rows.map(async (row) => ({ ...row, roles: await listMembershipsOf(database, row.id) })))
      })
      printList(values, {
        data: people.map(({ roles, ...person }) => ({
          ...person,
          organizations: roles.map(({ slug, role }) => ({ slug, role })),
        })),
        rows: people.map(({ email, name, id, roles }) => ({
          EMAIL: email,
          NAME: name,
          ORGANIZATIONS: roles.map(({ slug, role }) => `${slug} (${role})`).join(', ') || 'none',
          ID: id,
        })),
        none: 'There are no people yet. Add one with: npx nexkit person create --org demo-store --email sari@example.com --name Sari',
      })
    },
  }),
  defineCommand({
    name: 'person reset-password',
    summary: 'Print a link to set a new password',
    details: 'The link works once, for an hour. A new password ends all sessions of the person.',
    examples: ['npx nexkit person reset-password --email sari@example.com'],
    options: { email: emailOption, json: jsonOption },
    async run({ values }) {
      const email = readEmail(values)
      const link = await withDatabase((database, config) => makeResetLink(database, config, email))
      if (values.json) return printJson({ object: 'password_reset', email, link })
      printLine(link)
    },
  }),
  defineCommand({
    name: 'person remove-second-factor',
    summary: 'Turn off two-factor authentication of a person',
    details:
      'For a person who lost both their phone and their backup codes. They then sign in with the password alone.',
    examples: ['npx nexkit person remove-second-factor --email sari@example.com'],
    options: { email: emailOption, json: jsonOption },
    async run({ values }) {
      const email = readEmail(values)
      const isRemoved = await withDatabase((database, config) => endSecondFactor(database, config, email))
      if (values.json) return printJson({ object: 'second_factor', email, removed: isRemoved })
      printLine(
        isRemoved
          ? `Two-factor authentication of ${email} is off.`
          : `${email} does not use two-factor authentication.`,
      )
    },
  }),
  defineCommand({
    name: 'person remove-passkeys',
    summary: 'Delete all passkeys of a person, for example of a lost device',
    details:
      'The person can still sign in with the password. Open sessions continue; "person reset-password" ends them.',
    examples: ['npx nexkit person remove-passkeys --email sari@example.com'],
    options: { email: emailOption, json: jsonOption },
    async run({ values }) {
      const email = readEmail(values)
      const count = await withDatabase((database, config) => endPasskeys(database, config, email))
      if (values.json) return printJson({ object: 'passkeys', email, removed: count })
      printLine(
        count === 0
          ? `${email} has no passkeys.`
          : `Deleted ${count} ${count === 1 ? 'passkey' : 'passkeys'} of ${email}.`,
      )
    },
  }),
]

type LettingIn = { organization: Organization; email: string; name: string; role: Role; password: string | null }

async function letIn(database: Database, config: Config, { organization, email, name, role, password }: LettingIn) {
  const secretKey = await loadSecretKey(database, config)
  const ground = { database, clock: systemClock, secretKey, log: createLog('warn') }
  const publicUrl = await findPublicUrl(database, config)
  const { people } = peopleContext({ ...ground, publicUrl })
  const known = await findPersonByEmail(database, email)
  if (known !== null && password !== null)
    throw new UsageError(`${email} already has a password. Leave out --password-env, or use "person reset-password".`)
  const held = known === null ? null : await findMembership(database, known.id, organization)
  if (held !== null && held.role !== role)
    throw new StartError(`${email} is already ${held.role} of "${organization.slug}". Change the role in the console.`)
  const chosen = password ?? randomPassword()
  const person = known ?? (await createPerson(people, { name, email, password: chosen }))
  await addMember(people, organization.id, person.id, role)
  const enter = await createCommandAudit(database, config)
  const act = { command: 'person create', act: 'createPerson', subject: person.id }
  await database.transaction((tx) => enter(tx, organization.id, act))
  return {
    id: person.id,
    email,
    name: person.name,
    role,
    organization: organization.slug,
    password: known === null && password === null ? chosen : null,
    url: `${publicUrl}/console`,
    isKnown: known !== null,
  }
}

const findMembership = async (database: Database, personId: string, { id }: Organization) =>
  (await listMembershipsOf(database, personId)).find(({ org_id }) => org_id === id) ?? null

/** The library creates the link and passes it to the sender of links, which is this command. */
async function makeResetLink(database: Database, config: Config, email: string): Promise<string> {
  const links: string[] = []
  const { auth } = peopleContext({
    database,
    clock: systemClock,
    secretKey: await loadSecretKey(database, config),
    publicUrl: await findPublicUrl(database, config),
    log: createLog('warn'),
    sendResetLink: (_, link) => links.push(link),
  })
  const person = await getPerson(database, email)
  const question = { method: 'POST', path: '/request-password-reset', body: { email } } as const
  await auth.ask({ ...question, cookie: null, address: '127.0.0.1', userAgent: null, isAdmitted: true })
  const [link] = links
  if (link === undefined) throw new StartError('The link could not be created. Try again.')
  await enterForAll(database, await createCommandAudit(database, config), {
    command: 'person reset-password',
    act: 'requestPasswordReset',
    subject: person.id,
  })
  return link
}

async function endSecondFactor(database: Database, config: Config, email: string): Promise<boolean> {
  const { id } = await getPerson(database, email)
  // First, because it is refused with another secret key: what cannot be entered is not done.
  const enter = await createCommandAudit(database, config)
  const isRemoved = await database.transaction((tx) => removeSecondFactor(tx, id))
  const act = { command: 'person remove-second-factor', act: 'endTwoFactor', subject: id }
  if (isRemoved) await enterForAll(database, enter, act)
  return isRemoved
}

async function endPasskeys(database: Database, config: Config, email: string): Promise<number> {
  const { id } = await getPerson(database, email)
  const enter = await createCommandAudit(database, config)
  const count = await database.transaction((tx) => removePasskeys(tx, id))
  const act = { command: 'person remove-passkeys', act: 'deletePasskey', subject: id }
  if (count > 0) await enterForAll(database, enter, act)
  return count
}

async function getPerson(database: Database, email: string) {
  const person = await findPersonByEmail(database, email)
  if (person === null)
    throw new StartError(`There is no person with the email address ${email}. List them with: npx nexkit person list`)
  return person
}

/** A change to a person's account is recorded in every organization of which the person is a member. */
async function enterForAll(database: Database, enter: EnterAct, act: CommandAct): Promise<void> {
  for (const { org_id: orgId } of await listMembershipsOf(database, act.subject))
    await database.transaction((tx) => enter(tx, orgId, act))
}

function readRole(text: string): Role {
  if (!isRole(text)) throw new UsageError(`--role must be one of ${roleNames.join(', ')}.`)
  return text
}

function readEmail(values: CommandValues): string {
  const email = normalEmail(String(values.email))
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email))
    throw new UsageError(`--email "${values.email}" is not an email address.`)
  return email
}

function readPassword(values: CommandValues): string | null {
  const variable = values['password-env']
  if (variable === undefined) return null
  const password = process.env[String(variable)] ?? ''
  if (password.length < PASSWORD_CHARACTERS_MIN)
    throw new UsageError(`The variable ${variable} must hold at least ${PASSWORD_CHARACTERS_MIN} characters.`)
  return password
}
