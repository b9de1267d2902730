import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import {
  type AuditContext,
  auditContext,
  type ChainVerdict,
  explainProblem,
  exportAudit,
  type FileVerdict,
  verifyChain,
  verifyExport,
} from '../accounts/audit/audit.ts'
import { getOrganizationBySlug, type Organization } from '../accounts/organizations/organizations.ts'
import { loadSecretKey, readSecretKey } from '../boot/secret-key.ts'
import { auditCheckpointStorage } from '../boot/settings.ts'
import { type Config, readConfig } from '../config.ts'
import { systemClock } from '../kernel/clock.ts'
import { StartError } from '../kernel/errors.ts'
import type { Database } from '../platform/database/database.ts'
import { deriveKey } from '../platform/database/secret-box.ts'
import { defineCommand, jsonOption, orgOption, UsageError } from './framework/command.ts'
import { withDatabase } from './framework/connection.ts'
import { printJson, printLine } from './framework/output.ts'

export const auditCommands = [
  defineCommand({
    name: 'audit verify',
    summary: 'Check that the audit log is complete and unchanged',
    details:
      'Exits with 0 when it is intact and with 1 when it is not. An export is verified without the database; its hashes and signatures are checked when the secret key is available (NEXKIT_SECRET_KEY, or the data folder).',
    examples: ['npx nexkit audit verify --org demo-store', 'npx nexkit audit verify --file audit.jsonl'],
    options: {
      org: { type: 'string', help: 'slug of the organization', placeholder: 'slug' },
      file: { type: 'string', help: 'verify this export instead of the database', placeholder: 'path' },
      json: jsonOption,
    },
    async run({ values }) {
      if ((values.org === undefined) === (values.file === undefined))
        throw new UsageError('Give either --org or --file.')
      const { isIntact, says, ...facts } =
        values.file === undefined ? await verifyOrganization(String(values.org)) : await verifyFile(String(values.file))
      if (values.json) printJson({ object: 'audit_verification', is_intact: isIntact, ...facts, says })
      else printLine(says)
      if (!isIntact) process.exitCode = 1
    },
  }),
  defineCommand({
    name: 'audit export',
    summary: 'Print the audit log as JSON lines that can be verified anywhere',
    examples: ['npx nexkit audit export --org demo-store > audit.jsonl'],
    options: { org: orgOption },
    run: ({ values }) =>
      withAudit(String(values.org), async (context, { id }) => {
        for await (const line of exportAudit(context, id)) process.stdout.write(line)
      }),
  }),
]

type Report = { isIntact: boolean; entries: number; broken_at: number | null; says: string }

const withAudit = <Result>(
  slug: string,
  work: (context: AuditContext, organization: Organization, config: Config) => Promise<Result>,
): Promise<Result> =>
  withDatabase(async (database, config) => {
    const organization = await getOrganizationBySlug(database, slug)
    return work(await contextOf(database, config), organization, config)
  })

const contextOf = async (database: Database, config: Config): Promise<AuditContext> =>
  auditContext({
    database,
    clock: systemClock,
    secretKey: await loadSecretKey(database, config),
    checkpointStore: auditCheckpointStorage(config),
  })

const verifyOrganization = (slug: string): Promise<Report> =>
  withAudit(slug, async (context, { id }, config) => {
    const verdict = await verifyChain(context, id).catch((error) => explainStore(config, error))
    const { isIntact, entries, brokenAt } = verdict
    return { isIntact, entries, broken_at: brokenAt, says: sayVerdict(slug, verdict, config) }
  })

function explainStore({ auditCheckpoints }: Config, error: Error): never {
  if (auditCheckpoints === null) throw error
  throw new StartError(`The checkpoints in ${auditCheckpoints} cannot be read: ${error.message}.`)
}

function sayVerdict(
  slug: string,
  { problem, entries, checkpoint }: ChainVerdict,
  { auditCheckpoints }: Config,
): string {
  if (problem !== null) return `The audit log of "${slug}" is not intact. ${explainProblem(problem)}`
  const covered =
    checkpoint === null
      ? 'There is no checkpoint yet; the server writes one within five minutes.'
      : `The checkpoint of ${checkpoint.at.toISOString()} covers ${checkpoint.sequence} of them.`
  const advice =
    auditCheckpoints === null
      ? ' Checkpoints are stored in the database only; set NEXKIT_AUDIT_CHECKPOINTS to store them elsewhere as well.'
      : ''
  return `The audit log of "${slug}" is intact: ${entries} entries. ${covered}${advice}`
}

async function verifyFile(path: string): Promise<Report> {
  await access(path).catch((error) => {
    throw new StartError(`${path} cannot be read: ${error.message}.`)
  })
  const secretKey = await readSecretKey(readConfig(process.env))
  const keys =
    secretKey === null
      ? null
      : { key: deriveKey(secretKey, 'audit'), checkpointKey: deriveKey(secretKey, 'audit checkpoints') }
  const verdict = await verifyExport(createInterface({ input: createReadStream(path) }), keys)
  const { isIntact, entries, brokenAt } = verdict
  return { isIntact, entries, broken_at: brokenAt, says: sayFile(path, verdict) }
}

function sayFile(path: string, { says, entries, isKeyed }: FileVerdict): string {
  if (says !== null) return `${path} is not intact. ${says}`
  const unkeyed = isKeyed
    ? ''
    : ' Its lines are complete and in order. Hashes and signatures were not checked because the secret key is not available; set NEXKIT_SECRET_KEY to check them.'
  return `${path} is intact: ${entries} entries.${unkeyed}`
}
