import { adoptAuditLog, auditContext, recordAudit } from '../../accounts/audit/audit.ts'
import { checkOf, loadSecretKey } from '../../boot/secret-key.ts'
import { mediaStorage } from '../../boot/settings.ts'
import { orgColumnOf } from '../../boot/tables.ts'
import type { Config } from '../../config.ts'
import { systemClock } from '../../kernel/clock.ts'
import { StartError } from '../../kernel/errors.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import { ArchiveError, PART_BYTES } from '../../platform/archive/archive.ts'
import { readParts, verifyArchive } from '../../platform/archive/archive-reader.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import { databaseCode } from '../../platform/database/database-errors.ts'
import type { SecretBox } from '../../platform/database/secret-box.ts'
import { beginCopy, digestTable, type RowCount } from '../../platform/database/table-copy.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { tableOfStream } from './backup.ts'
import { changeRows, type Row } from './copy-fields.ts'
import { createFileWriter, fileOfStream } from './files.ts'
import { createRowWriter, ensureTableDays } from './filling.ts'
import { listAppliedMigrations, type Manifest, openManifest } from './manifest.ts'
import type { Member, OrganizationSummary } from './organization-export.ts'
import { createProgress, type Progress, sizeText } from './progress.ts'
import { markRestored } from './restored-work.ts'
import { hasSealedColumns, isRightBox, passphraseBox, resealRow, withBox, withKey } from './sealed-columns.ts'

/**
 * An exported organization into an installation that does not have it, in one transaction. Secrets are sealed anew with the key of this
 * installation, and so is the audit log; its work is paused, because the old installation may still do it.
 */
export type ImportResult = {
  organization: NonNullable<Manifest['organization']>
  summary: OrganizationSummary
  /** Members that this installation did not know: they have no password yet. */
  newPeople: string[]
  /** Rows whose secrets must be entered again. */
  unreadable: { table: string; id: string }[]
}

export type ImportOptions = { path: string; readPassphrase: () => Promise<string | null> }

export async function importOrganization(
  database: Database,
  config: Config,
  { path, readPassphrase }: ImportOptions,
): Promise<ImportResult> {
  const manifest = await openManifest(path, 'organization')
  const { organization } = manifest
  if (organization === undefined) throw new ArchiveError(`${path} names no organization.`)
  await refuseOtherSchema(database, path, manifest)
  await refuseExistingOrganization(database, organization)
  await refuseLoneSandbox(database, path, manifest)
  const box = await openPassphrase(path, manifest, readPassphrase)
  const progress = createProgress()
  const verified = await verifyArchive(path, (bytes) => progress.report(() => `Checking: ${sizeText(bytes)} read.`))
  const summary = verified.summary as OrganizationSummary
  const secretKey = await loadSecretKey(database, config)
  await ensureTableDays(database, manifest.tables)

  const loading: Loading = { path, manifest, summary, storage: mediaStorage(config), secretKey, box, progress }
  const audit = auditContext({ database, clock: systemClock, secretKey })
  const orgId = organization.id as OrgId
  const result = await database
    .transaction(async (tx) => {
      await beginCopy(tx, [])
      const { persons, newPeople } = await findPersons(tx, summary.members)
      const { counts, unreadable } = await loadRows(tx, loading, persons)
      await compareRows(tx, orgId, { manifest, counts })
      await addMembers(tx, orgId, { members: summary.members, persons })
      await markRestored(tx, [orgId])
      if (checkOf(secretKey) !== manifest.secret_key_check) await adoptAuditLog(audit, tx, orgId)
      const actor = { type: 'command' as const, id: 'org import', name: 'command line' }
      recordAudit(audit, tx, orgId, {
        actor,
        act: 'importOrganization',
        subject: orgId,
        requestId: null,
        address: null,
      })
      // Processes that remember a key as unknown look again.
      await tx.run`update account_revisions set revision = revision + 1`
      return { newPeople, unreadable }
    })
    .catch(explainConflict)
  return { organization, summary, ...result }
}

type Loading = {
  path: string
  manifest: Manifest
  summary: OrganizationSummary
  storage: Storage
  secretKey: string
  /** What the passphrase opens. */
  box: SecretBox | null
  progress: Progress
}

/** Rows with their secrets sealed by this installation and their people by the ids that they have here; then the files. */
async function loadRows(
  tx: Tx,
  { path, manifest, summary, storage, secretKey, box, progress }: Loading,
  persons: ReadonlyMap<string, string>,
) {
  const unreadable = new Map<string, { table: string; id: string }>()
  const resealing = {
    from: [withKey(secretKey), ...(box === null ? [] : [withBox(box)])],
    to: withKey(secretKey),
    onUnreadable: (place: { table: string; id: string }) => unreadable.set(`${place.table} ${place.id}`, place),
  }
  const columns = new Map(manifest.tables.map((table) => [table.name, table.columns]))
  const change = (table: string, lines: Uint8Array): Uint8Array =>
    hasSealedColumns(table) || table in PERSON_COLUMNS
      ? changeRows(lines, columns.get(table) ?? [], (row) =>
          resealRow(table, renamePersons(table, row, persons), resealing),
        )
      : lines
  const rows = createRowWriter(tx, manifest.tables)
  const files = createFileWriter(storage, summary.files)
  try {
    for await (const { stream, bytes } of readParts(path)) {
      const [table, file] = [tableOfStream(stream), fileOfStream(stream)]
      if (table !== null) await rows.write(table, change(table, bytes))
      if (file !== null) await files.write(file, bytes)
      progress.report(() => (table === null ? 'Importing files.' : `Importing ${table}.`))
    }
    await files.finish()
  } catch (error) {
    await files.discard()
    throw error
  }
  return { counts: rows.counts(), unreadable: [...unreadable.values()] }
}

async function refuseOtherSchema(database: Database, path: string, manifest: Manifest): Promise<void> {
  const here = await listAppliedMigrations(database)
  const there = new Map(manifest.migrations.map(({ version, checksum }) => [version, checksum]))
  const isSame = here.length === there.size && here.every(({ version, checksum }) => there.get(version) === checksum)
  if (!isSame)
    throw new ArchiveError(
      `${path} was written by another version (${manifest.version}, migration ${manifest.migrations.at(-1)?.name}) than this one (migration ${here.at(-1)?.name}). Use the same version on both sides.`,
    )
}

async function refuseExistingOrganization(
  database: Database,
  { id, slug }: { id: string; slug: string },
): Promise<void> {
  const found = await database.maybeOne<{ slug: string }>`
    select slug from organizations where id = ${id} or slug = ${slug} limit 1`
  if (found !== null)
    throw new StartError(`The organization "${found.slug}" exists here already. Nothing was imported.`)
}

/** A sandbox refers to its live organization, which has to be here. Exports no longer hold one, but earlier ones may. */
async function refuseLoneSandbox(database: Database, path: string, manifest: Manifest): Promise<void> {
  const row = await findOrganizationRow(path, manifest)
  const liveId = row?.sandbox_of ?? null
  if (liveId === null) return
  const live = await database.maybeOne`select id from organizations where id = ${liveId}`
  if (live === null)
    throw new StartError(
      `"${row?.slug}" is a sandbox, and its live organization (${liveId}) does not exist here. Nothing was imported. Export and import the live organization, then create its sandbox with "npx nexkit org sandbox".`,
    )
}

async function findOrganizationRow(path: string, { tables }: Manifest): Promise<Row | null> {
  const columns = tables.find(({ name }) => name === 'organizations')?.columns ?? []
  let found: Row | null = null
  for await (const { stream, bytes } of readParts(path)) {
    if (tableOfStream(stream) !== 'organizations') continue
    changeRows(bytes, columns, (row) => {
      found = row
      return row
    })
    break
  }
  return found
}

/** Null when the secrets are sealed with the key of the other installation. A wrong passphrase is refused before anything is written. */
async function openPassphrase(path: string, { passphrase }: Manifest, readPassphrase: () => Promise<string | null>) {
  if (passphrase === undefined) return null
  const given = await readPassphrase()
  if (given === null)
    throw new StartError(`${path} was exported with a passphrase. Give it with --passphrase-file or --passphrase-env.`)
  const box = passphraseBox(given, passphrase.salt)
  if (!isRightBox(box, passphrase.check))
    throw new StartError(`This is not the passphrase that ${path} was exported with.`)
  return box
}

/** The id here of each member: the account with the same email address, else a new one under the old id. */
async function findPersons(tx: Tx, members: readonly Member[]) {
  const persons = new Map<string, string>()
  const newPeople: string[] = []
  for (const member of members) {
    const known = await tx.maybeOne<{ id: string }>`select id from people where email = ${member.email}`
    const isTaken = (await tx.maybeOne`select id from people where id = ${member.id}`) !== null
    const id = known?.id ?? (isTaken ? newId('usr', systemClock.now()) : member.id)
    persons.set(member.id, id)
    if (known !== null) continue
    newPeople.push(member.email)
    await tx.run`
      insert into people (id, name, email, is_email_verified, created_at, updated_at)
      values (${id}, ${member.name}, ${member.email}, true, ${new Date(member.created_at)}, now())`
  }
  return { persons, newPeople }
}

/** Columns that name a person. The audit log keeps the ids that it recorded. */
const PERSON_COLUMNS: Record<string, string[]> = {
  agents: ['owner_id', 'created_by'],
  agent_connections: ['person_id'],
  api_keys: ['created_by'],
  chats: ['assignee'],
}

function renamePersons(table: string, row: Row, persons: ReadonlyMap<string, string>): Row {
  const renamed = (PERSON_COLUMNS[table] ?? []).flatMap((column) => {
    const id = persons.get(row[column] ?? '')
    return id === undefined ? [] : [[column, id] as const]
  })
  return { ...row, ...Object.fromEntries(renamed) }
}

async function addMembers(
  tx: Tx,
  orgId: OrgId,
  { members, persons }: { members: readonly Member[]; persons: ReadonlyMap<string, string> },
): Promise<void> {
  for (const { id, role } of members)
    await tx.run`
      insert into memberships (id, org_id, person_id, role, created_at)
      values (${newId('mem', systemClock.now())}, ${orgId}, ${persons.get(id) ?? id}, ${role}, now())`
}

async function compareRows(
  tx: Tx,
  orgId: OrgId,
  { manifest, counts }: { manifest: Manifest; counts: Record<string, RowCount> },
): Promise<void> {
  for (const table of manifest.tables) {
    const filter = { column: orgColumnOf(table.name), value: orgId }
    const stored = await digestTable(tx, table, { filter, partBytes: PART_BYTES })
    if (stored.rows !== counts[table.name]?.rows || stored.digest !== counts[table.name]?.digest)
      throw new StartError(`The rows of ${table.name} differ from those that were written. Nothing was kept.`)
  }
}

/** The same number, key or account is connected in another organization of this installation. */
function explainConflict(error: unknown): never {
  if (databaseCode(error) !== '23505') throw error
  const { detail, table_name: table } = error as { detail?: string; table_name?: string }
  throw new StartError(
    `This installation already has a row of ${table ?? 'a table'} that may exist only once: ${detail ?? 'unknown'} Remove it there first. Nothing was imported.`,
  )
}
