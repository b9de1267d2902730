import { randomBytes } from 'node:crypto'
import { auditContext, verifyChain } from '../../accounts/audit/audit.ts'
import type { Organization } from '../../accounts/organizations/organizations.ts'
import { loadSecretKey } from '../../boot/secret-key.ts'
import { mediaStorage } from '../../boot/settings.ts'
import { tenantTables } from '../../boot/tables.ts'
import type { Config } from '../../config.ts'
import { systemClock } from '../../kernel/clock.ts'
import { StartError } from '../../kernel/errors.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { refuseExisting, writeArchive } from '../../platform/archive/archive-writer.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import type { TableShape } from '../../platform/database/table-copy.ts'
import { type BackupResult, type Summary, tableStream } from './backup.ts'
import { changeRows, type Row } from './copy-fields.ts'
import { addFiles } from './files.ts'
import { newManifest } from './manifest.ts'
import { createProgress } from './progress.ts'
import { hasSealedColumns, passphraseBox, resealRow, sealCheck, withBox, withKey } from './sealed-columns.ts'
import { withSnapshot } from './snapshot.ts'

/**
 * One organization in one file: its rows at one moment and its files. Ids stay, and so do API keys, of which only hashes are stored. People
 * belong to an installation, so members travel by email address and without passwords.
 */
const LEFT_OUT = ['audit_checkpoints', 'outbox_grants']
const exportedTables = [...tenantTables, 'channel_number_routes', 'organizations'].filter(
  (name) => !LEFT_OUT.includes(name),
)

export type Member = { id: string; name: string; email: string; role: string; created_at: string }

export type OrganizationSummary = Summary & {
  members: Member[]
  /** Addresses of open invitations, which must be sent again. */
  invited: string[]
  is_audit_intact: boolean
  /** Rows whose secrets could not be read with the key of the installation. */
  unreadable: { table: string; id: string }[]
}

export type ExportOptions = { path: string; organization: Organization; passphrase: string | null; hasFiles: boolean }

export async function exportOrganization(
  database: Database,
  config: Config,
  { path, organization, passphrase, hasFiles }: ExportOptions,
): Promise<BackupResult<OrganizationSummary>> {
  await refuseExisting(path)
  // A sandbox belongs to a live organization, and the other installation creates a new one.
  if (organization.sandbox_of !== null)
    throw new StartError(`"${organization.slug}" is a sandbox. Export the organization that it belongs to.`)
  const progress = createProgress()
  const secretKey = await loadSecretKey(database, config)
  const salt = randomBytes(16).toString('base64url')
  const box = passphrase === null ? null : passphraseBox(passphrase, salt)
  const audit = await verifyChain(auditContext({ database, clock: systemClock, secretKey }), organization.id)
  const unreadable: OrganizationSummary['unreadable'] = []
  const change = (table: TableShape, lines: Uint8Array): Uint8Array => {
    if (table.name === 'idempotency_keys') return changeRows(lines, table.columns, withoutSecretReply)
    if (box === null || !hasSealedColumns(table.name)) return lines
    const resealing = {
      from: [withKey(secretKey)],
      to: withBox(box),
      onUnreadable: (place: { table: string; id: string }) => unreadable.push(place),
    }
    return changeRows(lines, table.columns, (row) => resealRow(table.name, row, resealing))
  }
  const { summary, bytes } = await writeArchive(path, async (writer): Promise<OrganizationSummary> => {
    const options = { database, tables: exportedTables, orgId: organization.id, change, progress }
    const read = await withSnapshot(options, async (snapshot, tx) => {
      await writer.begin(
        newManifest({
          kind: 'organization',
          migrations: snapshot.migrations,
          secret_key_check: snapshot.keyCheck,
          tables: snapshot.tables,
          organization: { id: organization.id, slug: organization.slug, name: organization.name },
          ...(box !== null && { passphrase: { salt, check: sealCheck(box) } }),
        }),
      )
      return {
        counts: await snapshot.readRows((table, lines) => writer.add(tableStream(table.name), lines)),
        files: hasFiles ? await snapshot.listFiles() : [],
        members: await listMembers(tx, organization.id),
        invited: await listInvited(tx, organization.id),
      }
    })
    const { files, ...rows } = read
    const copied = await addFiles({ storage: mediaStorage(config), files, progress }, writer)
    return { ...rows, files: copied.files, missing_files: copied.missing, is_audit_intact: audit.isIntact, unreadable }
  })
  return { path, bytes, summary }
}

/** Some stored responses have a secret, sealed with the key of the installation. A repeated request is then answered anew. */
const SEALED_REPLY = /^v1\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+$/
const withoutSecretReply = (row: Row): Row | null => (SEALED_REPLY.test(row.body ?? '') ? null : row)

const listMembers = async (tx: Tx, orgId: OrgId): Promise<Member[]> =>
  (
    await tx.many<Omit<Member, 'created_at'> & { created_at: Date }>`
      select people.id, people.name, people.email, memberships.role, people.created_at
      from memberships join people on people.id = memberships.person_id
      where memberships.org_id = ${orgId} order by memberships.created_at, memberships.id`
  ).map((member) => ({ ...member, created_at: member.created_at.toISOString() }))

const listInvited = async (tx: Tx, orgId: OrgId): Promise<string[]> =>
  (
    await tx.many<{ email: string }>`
      select email from invitations where org_id = ${orgId} and status = 'pending' and expires_at > now() order by email`
  ).map(({ email }) => email)
