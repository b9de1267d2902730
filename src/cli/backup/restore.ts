import { readdir } from 'node:fs/promises'
import { prepareSchema } from '../../boot/schema.ts'
import { checkOf, createSecretKey, readSecretKey, secretKeyPath } from '../../boot/secret-key.ts'
import { mediaStorage } from '../../boot/settings.ts'
import type { Config } from '../../config.ts'
import { StartError } from '../../kernel/errors.ts'
import { readParts, verifyArchive } from '../../platform/archive/archive-reader.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Migration } from '../../platform/database/migrate.ts'
import { replaceKeyCheck } from '../../platform/database/secret-key-check.sql.ts'
import { SECRET_KEY_STREAM, type Summary, tableOfStream } from './backup.ts'
import { createFileWriter, fileOfStream } from './files.ts'
import { fillDatabase, type WriteRows } from './filling.ts'
import { knownMigrations, type Manifest, openManifest } from './manifest.ts'
import { createProgress, type Progress, sizeText } from './progress.ts'
import { listOrgIds, markRestored } from './restored-work.ts'

/** A backup that was looked at and can be restored here. */
export type CheckedBackup = {
  path: string
  manifest: Manifest
  migrations: Migration[]
  summary: Summary
  /** The key that the restored installation goes on with. Null when it never had one. */
  secretKey: { value: string; isInBackup: boolean } | null
  progress: Progress
}

type CheckOptions = { path: string; config: Config; migrations: Migration[]; isKeyLost: boolean }

/** Everything that can be refused without writing anything: version, key, folder, then every byte of the file. */
export async function checkBackup({ path, config, migrations, isKeyLost }: CheckOptions): Promise<CheckedBackup> {
  const manifest = await openManifest(path, 'backup')
  const known = knownMigrations(manifest.migrations, migrations, { path, version: manifest.version })
  const secretKey = await chooseKey(path, manifest, { config, isKeyLost })
  if (config.databaseUrl === null) await refuseForeignFolder(config.dataDir)
  const progress = createProgress()
  const { summary } = await verifyArchive(path, (bytes) => progress.report(() => `Checking: ${sizeText(bytes)} read.`))
  return { path, manifest, migrations: known, summary: summary as Summary, secretKey, progress }
}

/** The key of this installation, else the one in the backup. Refused when it is not the key that sealed the secrets. */
async function chooseKey(
  path: string,
  { secret_key_check: check }: Manifest,
  { config, isKeyLost }: { config: Config; isKeyLost: boolean },
): Promise<CheckedBackup['secretKey']> {
  const given = await readSecretKey(config)
  const place = config.secretKey === null ? secretKeyPath(config) : 'NEXKIT_SECRET_KEY'
  if (isKeyLost || check === null) return given === null ? null : { value: given, isInBackup: false }
  const value = given ?? (await readKeyIn(path))
  if (value === null)
    throw new StartError(
      `This backup needs the secret key of its installation. Copy it to ${place}, or set NEXKIT_SECRET_KEY. If it is lost, add --key-is-lost.`,
    )
  if (checkOf(value) === check) return { value, isInBackup: given === null }
  throw new StartError(
    `The secret key (${place}) is another one than this backup was made with. Use the key of that installation; if it is lost, add --key-is-lost.`,
  )
}

/** It comes first, where it is in the backup at all. */
async function readKeyIn(path: string): Promise<string | null> {
  for await (const { stream, bytes } of readParts(path))
    return stream === SECRET_KEY_STREAM ? bytes.toString('utf8') : null
  return null
}

/** What a start, or a restore that was interrupted, leaves in a folder. Whether its database is empty is looked at later. */
const OUR_NAMES = /^(?:secret\.key|(?:nexkit|postgres)\.(?:lock|pid)|postgres(?:\.new-.*)?|media|drafts|lost\+found)$/

async function refuseForeignFolder(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch((): string[] => [])
  const foreign = names.find((name) => !OUR_NAMES.test(name))
  if (foreign !== undefined)
    throw new StartError(`${dataDir} is not empty: it has ${foreign}. Set NEXKIT_DATA_DIR to an empty folder.`)
}

export type RestoreOptions = { database: Database; config: Config; migrations: Migration[]; isKeyLost: boolean }

/** Fills the empty database, then brings its schema up to date. */
export async function restore(backup: CheckedBackup, options: RestoreOptions): Promise<void> {
  const { database, config, migrations, isKeyLost } = options
  const { manifest, secretKey, progress } = backup
  await fillDatabase(
    { database, migrations: backup.migrations, tables: manifest.tables, progress },
    {
      async write(writeRows) {
        await readBackup(backup, config, writeRows)
        return backup.summary.counts
      },
      async finish(tx) {
        await markRestored(tx, await listOrgIds(tx))
        if (secretKey?.isInBackup) await createSecretKey(config, secretKey.value)
        if (isKeyLost) await replaceKeyCheck(tx, checkOf(secretKey?.value ?? (await createSecretKey(config))))
      },
    },
  )
  await prepareSchema(database, migrations)
}

async function readBackup(
  { path, summary, progress }: CheckedBackup,
  config: Config,
  writeRows: WriteRows,
): Promise<void> {
  const files = createFileWriter(mediaStorage(config), summary.files)
  try {
    for await (const { stream, bytes } of readParts(path)) {
      const [table, file] = [tableOfStream(stream), fileOfStream(stream)]
      if (table !== null) await writeRows(table, bytes)
      if (file !== null) await files.write(file, bytes)
      progress.report(() => (table === null ? 'Restoring files.' : `Restoring ${table}.`))
    }
    await files.finish()
  } catch (error) {
    await files.discard()
    throw error
  }
}
