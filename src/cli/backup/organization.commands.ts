import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { getOrganizationBySlug } from '../../accounts/organizations/organizations.ts'
import { messageOf } from '../../kernel/errors.ts'
import { type CommandValues, defineCommand, jsonOption, orgOption, UsageError } from '../framework/command.ts'
import { withDatabase } from '../framework/connection.ts'
import { printJson, printLine, printNote } from '../framework/output.ts'
import { backupPath, rowsIn } from './backup.ts'
import { exportOrganization } from './organization-export.ts'
import { importOrganization } from './organization-import.ts'
import { sizeText } from './progress.ts'

const passphraseOptions = {
  'passphrase-file': {
    type: 'string',
    help: 'file whose first line is the passphrase of the secrets; - for stdin',
    placeholder: 'file',
  },
  'passphrase-env': {
    type: 'string',
    help: 'environment variable with the passphrase',
    placeholder: 'name',
  },
} as const

const PASSPHRASE_CHARACTERS_MIN = 12

/** Not on the command line itself, where every user of the machine could read it. */
async function readPassphrase(values: CommandValues): Promise<string | null> {
  const [file, name] = [values['passphrase-file'], values['passphrase-env']]
  if (file === undefined && name === undefined) return null
  if (file !== undefined && name !== undefined)
    throw new UsageError('Give the passphrase once: --passphrase-file or --passphrase-env.')
  const passphrase = name === undefined ? await readFirstLine(String(file)) : (process.env[String(name)] ?? '')
  if (passphrase.length < PASSPHRASE_CHARACTERS_MIN)
    throw new UsageError(`The passphrase must have at least ${PASSPHRASE_CHARACTERS_MIN} characters.`)
  return passphrase
}

async function readFirstLine(path: string): Promise<string> {
  const content = await (path === '-' ? text(process.stdin) : readFile(path, 'utf8')).catch((error) => {
    throw new UsageError(`--passphrase-file cannot be read: ${messageOf(error)}.`)
  })
  return content.split(/\r?\n/)[0] ?? ''
}

export const organizationTransferCommands = [
  defineCommand({
    name: 'org export',
    summary: 'Write one organization to a file, for another installation',
    details:
      'The file has all rows and files of the organization. Ids and API keys stay valid. Credentials of numbers and payment accounts and webhook secrets are encrypted with the passphrase; without one they stay encrypted with the key of this installation, and must be entered again unless the other installation has the same key.',
    examples: [
      'npx nexkit org export --org toko-budi --to toko-budi.tar.gz --passphrase-env PASSPHRASE',
      'npx nexkit org export --org toko-budi --to exports/',
    ],
    options: {
      org: orgOption,
      to: {
        type: 'string',
        help: 'file, or folder for a file that is named by the organization and the time',
        placeholder: 'path',
        isRequired: true,
      },
      ...passphraseOptions,
      'without-files': { type: 'boolean', help: 'leave out the files of chats' },
      json: jsonOption,
    },
    async run({ values }) {
      const passphrase = await readPassphrase(values)
      const path = await backupPath(String(values.to), { name: String(values.org), now: new Date() })
      const { bytes, summary } = await withDatabase(async (database, config) => {
        const organization = await getOrganizationBySlug(database, String(values.org))
        const hasFiles = values['without-files'] !== true
        return exportOrganization(database, config, { path, organization, passphrase, hasFiles })
      })
      const [rows, files] = [rowsIn(summary.counts), summary.files.length]
      if (values.json)
        return printJson({
          object: 'organization_export',
          ...{ path, bytes, rows, files },
          missing_files: summary.missing_files,
          members: summary.members.map(({ email }) => email),
          has_secrets: passphrase !== null,
          unreadable_secrets: summary.unreadable,
        })
      printLine(`Exported to ${path} (${sizeText(bytes)}, ${rows} rows, ${files} files).`)
      if (passphrase === null)
        printNote('Without a passphrase, secrets must be entered again on an installation with another secret key.')
      if (!summary.is_audit_intact) printNote('The audit log is not intact here. Run: npx nexkit audit verify')
    },
  }),
  defineCommand({
    name: 'org import',
    summary: 'Import an organization that another installation exported',
    details:
      'Both installations must have the same version. Refused when the organization exists. Members are found by their email address; those that are new here set a password first. Its work is paused until "npx nexkit resume": stop the organization on the old installation before.',
    examples: [
      'npx nexkit org import toko-budi.tar.gz --passphrase-env PASSPHRASE',
      'npx nexkit org import toko-budi.tar.gz',
    ],
    arguments: [{ name: 'file', help: 'file that "npx nexkit org export" wrote', isRequired: true }],
    options: { ...passphraseOptions, json: jsonOption },
    async run({ values, arguments: [path = ''] }) {
      const { organization, summary, newPeople, unreadable } = await withDatabase((database, config) =>
        importOrganization(database, config, { path, readPassphrase: () => readPassphrase(values) }),
      )
      const [rows, files] = [rowsIn(summary.counts), summary.files.length]
      if (values.json)
        return printJson({
          object: 'organization_import',
          ...{ organization, rows, files },
          new_people: newPeople,
          invite_again: summary.invited,
          enter_again: unreadable,
        })
      printLine(`Imported "${organization.name}" (${rows} rows, ${files} files).`)
      for (const email of newPeople) printLine(`  set a password   npx nexkit person reset-password --email ${email}`)
      for (const email of summary.invited) printLine(`  invite again     ${email}`)
      for (const { table, id } of unreadable) printLine(`  enter again      ${SECRETS[table] ?? table} of ${id}`)
      printLine(
        'Set the webhook URLs at Meta and the payment providers to this server, and stop the organization on the old one.',
      )
      printLine(`Then run: npx nexkit resume --org ${organization.slug}`)
    },
  }),
]

const SECRETS: Record<string, string> = {
  channel_numbers: 'credentials (npx nexkit number update)',
  payment_accounts: 'credentials (npx nexkit payment-account update)',
  webhook_endpoints: 'headers and certificates (npx nexkit endpoint update)',
  webhook_secrets: 'signing secret (npx nexkit endpoint rotate-secret)',
}
