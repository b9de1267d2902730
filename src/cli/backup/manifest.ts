import { z } from 'zod'
import { VERSION } from '../../boot/version.ts'
import { ArchiveError } from '../../platform/archive/archive.ts'
import { readManifest } from '../../platform/archive/archive-reader.ts'
import { currentMigrations, type Migration } from '../../platform/database/migrate.ts'
import type { Queries } from '../../platform/database/queries.ts'

/** The first entry of an archive: what can be decided before anything of it is used. */
const FORMAT = 'nexkit-archive'
const FORMAT_VERSION = 1

const tableSchema = z.object({ name: z.string(), columns: z.array(z.string()), days: z.array(z.string()) })
const appliedSchema = z.object({ version: z.number(), name: z.string(), checksum: z.string() })

const manifestSchema = z.object({
  format: z.literal(FORMAT),
  format_version: z.number(),
  kind: z.enum(['backup', 'organization']),
  /** Of the Nexkit that wrote it. */
  version: z.string(),
  created_at: z.string(),
  migrations: z.array(appliedSchema),
  /** Of the key that seals the secrets in it; null when the installation had none yet. */
  secret_key_check: z.string().nullable(),
  tables: z.array(tableSchema),
  organization: z.object({ id: z.string(), slug: z.string(), name: z.string() }).optional(),
  /** Present when the secrets are sealed with a passphrase instead. */
  passphrase: z.object({ salt: z.string(), check: z.string() }).optional(),
})

export type Manifest = z.output<typeof manifestSchema>
export type AppliedMigration = z.output<typeof appliedSchema>

type NewManifest = Omit<Manifest, 'format' | 'format_version' | 'version' | 'created_at'>

export const newManifest = (parts: NewManifest): Manifest => ({
  format: FORMAT,
  format_version: FORMAT_VERSION,
  version: VERSION,
  created_at: new Date().toISOString(),
  ...parts,
})

const KIND_NAMES = { backup: 'a backup', organization: 'an export of an organization' }
const KIND_COMMANDS = { backup: 'npx nexkit restore', organization: 'npx nexkit org import' }

/** Throws a sentence for a file that is something else, or of a newer version than this program can read. */
export async function openManifest(path: string, kind: Manifest['kind']): Promise<Manifest> {
  const parsed = manifestSchema.safeParse(await readManifest(path))
  if (!parsed.success) throw new ArchiveError(`${path} is not a file that this Nexkit can read.`)
  const manifest = parsed.data
  if (manifest.format_version > FORMAT_VERSION)
    throw new ArchiveError(
      `${path} was written by a newer Nexkit (${manifest.version}). Use that version, or a later one.`,
    )
  if (manifest.kind !== kind)
    throw new ArchiveError(`${path} is ${KIND_NAMES[manifest.kind]}. Read it with: ${KIND_COMMANDS[manifest.kind]}`)
  return manifest
}

export const listAppliedMigrations = async (queries: Queries): Promise<AppliedMigration[]> =>
  currentMigrations(
    await queries.many<AppliedMigration>`select version, name, checksum from schema_migrations order by version`,
  )

/** The migrations of this program that the other side had applied. Throws when it had one that this program does not know. */
export function knownMigrations(
  applied: readonly AppliedMigration[],
  migrations: Migration[],
  { path, version }: { path: string; version: string },
): Migration[] {
  const byVersion = new Map(migrations.map((migration) => [migration.version, migration]))
  return applied.map(({ version: number, name, checksum }) => {
    const known = byVersion.get(number)
    if (known?.checksum === checksum) return known
    throw new ArchiveError(
      known === undefined
        ? `${path} was written by a newer Nexkit (${version}, migration ${name}), and this is ${VERSION}. Use that version, or a later one.`
        : `${path} has another migration ${name} than this Nexkit. Use the version that wrote it (${version}).`,
    )
  })
}
