import {
  createOrganization,
  getOrganizationBySlug,
  listOrganizations,
  resumeOrganization,
  SLUG_PATTERN,
  slugOf,
  suspendOrganization,
} from '../accounts/organizations/organizations.ts'
import { isTimeZone, systemClock } from '../kernel/clock.ts'
import { callingCodeOf } from '../platform/phone/phone-numbers.ts'
import { defineCommand, jsonOption, orgOption, readName, UsageError } from './framework/command.ts'
import { createCommandAudit } from './framework/command-audit.ts'
import { withDatabase } from './framework/connection.ts'
import { printJson, printLine, printList } from './framework/output.ts'

export const orgCommands = [
  defineCommand({
    name: 'org create',
    summary: 'Create an organization',
    examples: [
      'npx nexkit org create --name "Toko Budi"',
      'npx nexkit org create --name "Kedai Kuala" --slug kedai --country MY --timezone Asia/Kuala_Lumpur',
    ],
    options: {
      name: { type: 'string', help: 'name of the organization', placeholder: 'name', isRequired: true },
      slug: {
        type: 'string',
        help: 'short name for commands and URLs; derived from the name by default',
        placeholder: 'slug',
      },
      country: {
        type: 'string',
        help: 'country of phone numbers that are written without a country code',
        placeholder: 'ID',
        fallback: 'ID',
      },
      timezone: {
        type: 'string',
        help: 'time zone of the times that customers read',
        placeholder: 'zone',
        fallback: 'Asia/Jakarta',
      },
      json: jsonOption,
    },
    async run({ values }) {
      const name = readName(values)
      const slug = values.slug === undefined ? slugOf(name) : String(values.slug)
      if (!SLUG_PATTERN.test(slug))
        throw new UsageError(
          `"${slug}" is not a valid slug. Use up to 63 lowercase letters, digits and hyphens, for example --slug toko-budi.`,
        )
      if (callingCodeOf(String(values.country)) === null)
        throw new UsageError('--country must be a country code of two capital letters, such as ID.')
      if (!isTimeZone(String(values.timezone)))
        throw new UsageError(`"${values.timezone}" is not a time zone such as Asia/Jakarta.`)
      const input = { name, slug, defaultCountry: String(values.country), timezone: String(values.timezone) }
      const organization = await withDatabase(async (database, config) => {
        const enter = await createCommandAudit(database, config)
        const created = await createOrganization(database, systemClock, input)
        const act = { command: 'org create', act: 'createOrganization', subject: created.id }
        await database.transaction((tx) => enter(tx, created.id, act))
        return created
      })
      if (values.json)
        return printJson({ object: 'organization', ...organization, created_at: organization.created_at.toISOString() })
      printLine(
        `Created organization "${organization.name}". Next, create an API key: npx nexkit key create --org ${organization.slug} --name "Shop backend" --scopes all`,
      )
    },
  }),
  defineCommand({
    name: 'org list',
    summary: 'List the organizations',
    examples: ['npx nexkit org list'],
    options: { json: jsonOption },
    async run({ values }) {
      const organizations = await withDatabase((database) => listOrganizations(database))
      printList(values, {
        data: organizations,
        rows: organizations.map((row) => ({
          SLUG: row.slug,
          NAME: row.name,
          KIND: row.sandbox_of === null ? 'live' : 'sandbox',
          ID: row.id,
          CREATED: row.created_at.toISOString(),
        })),
        none: 'There are no organizations yet. Create one with: npx nexkit org create --name "Toko Budi"',
      })
    },
  }),
  defineCommand({
    name: 'org suspend',
    summary: 'Refuse the keys and agents of an organization',
    examples: ['npx nexkit org suspend --org toko-budi --reason "Invoice 42 is unpaid"'],
    options: {
      org: orgOption,
      reason: { type: 'string', help: 'why, for the people who operate the server', placeholder: 'text' },
      json: jsonOption,
    },
    async run({ values }) {
      const reason = values.reason === undefined ? null : String(values.reason)
      if (reason !== null && (reason.trim() === '' || reason.length > 500))
        throw new UsageError('--reason must have 1 to 500 characters.')
      const slug = await changeSuspension(String(values.org), { act: 'suspendOrganization', at: new Date(), reason })
      if (values.json) return printJson({ object: 'organization', slug, suspended: true })
      printLine(`Suspended "${slug}". Its keys are refused within a second; payments and messages are still recorded.`)
    },
  }),
  defineCommand({
    name: 'org resume',
    summary: 'Accept the keys and agents of a suspended organization again',
    examples: ['npx nexkit org resume --org toko-budi'],
    options: { org: orgOption, json: jsonOption },
    async run({ values }) {
      const slug = await changeSuspension(String(values.org), { act: 'resumeOrganization', at: null, reason: null })
      if (values.json) return printJson({ object: 'organization', slug, suspended: false })
      printLine(`Resumed "${slug}". Its keys are accepted within a second.`)
    },
  }),
]

type SuspensionChange = { act: string; at: Date | null; reason: string | null }

const changeSuspension = (slug: string, { act, at, reason }: SuspensionChange): Promise<string> =>
  withDatabase(async (database, config) => {
    const enter = await createCommandAudit(database, config)
    const { id } = await getOrganizationBySlug(database, slug)
    await database.transaction(async (tx) => {
      await (at === null ? resumeOrganization(tx, id) : suspendOrganization(tx, id, { at, reason }))
      await enter(tx, id, { command: at === null ? 'org resume' : 'org suspend', act, subject: id })
    })
    return slug
  })
