import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readSecretKey } from '../../boot/secret-key.ts'
import { mediaStorage } from '../../boot/settings.ts'
import type { Config } from '../../config.ts'
import { StartError } from '../../kernel/errors.ts'
import { refuseExisting, writeArchive } from '../../platform/archive/archive-writer.ts'
import type { Database } from '../../platform/database/database.ts'
import type { RowCount } from '../../platform/database/table-copy.ts'
import { addFiles } from './files.ts'
import { type Manifest, newManifest } from './manifest.ts'
import { createProgress } from './progress.ts'
import { type Snapshot, type StoredFile, withSnapshot } from './snapshot.ts'

/** The whole installation in one file: all rows at one moment, then the files that they name. */
export type BackupOptions = { path: string; hasFiles: boolean; hasSecretKey: boolean }

export type Summary = { counts: Record<string, RowCount>; files: StoredFile[]; missing_files: string[] }

export type BackupResult<Of = Summary> = { path: string; bytes: number; summary: Of }

/** The stream of the secret key, present only on request. */
export const SECRET_KEY_STREAM = 'secret.key'

export const tableStream = (table: string): string => `tables/${table}`
export const tableOfStream = (stream: string): string | null =>
  stream.startsWith('tables/') ? stream.slice('tables/'.length) : null

export async function backUp(
  database: Database,
  config: Config,
  { path, hasFiles, hasSecretKey }: BackupOptions,
): Promise<BackupResult> {
  await refuseExisting(path)
  const secretKey = hasSecretKey ? await readSecretKey(config) : null
  if (hasSecretKey && secretKey === null)
    throw new StartError('There is no secret key yet: the first start creates it.')
  const progress = createProgress()
  const manifest = (snapshot: Snapshot): Manifest =>
    newManifest({
      kind: 'backup',
      migrations: snapshot.migrations,
      secret_key_check: snapshot.keyCheck,
      tables: snapshot.tables,
    })
  const { summary, bytes } = await writeArchive(path, async (writer): Promise<Summary> => {
    const { counts, files } = await withSnapshot({ database, progress }, async (snapshot) => {
      await writer.begin(manifest(snapshot))
      if (secretKey !== null) await writer.add(SECRET_KEY_STREAM, Buffer.from(secretKey))
      return {
        counts: await snapshot.readRows((table, lines) => writer.add(tableStream(table.name), lines)),
        files: hasFiles ? await snapshot.listFiles() : [],
      }
    })
    const copied = await addFiles({ storage: mediaStorage(config), files, progress }, writer)
    return { counts, files: copied.files, missing_files: copied.missing }
  })
  return { path, bytes, summary }
}

export const rowsIn = (counts: Summary['counts']): number =>
  Object.values(counts).reduce((sum, { rows }) => sum + rows, 0)

const FILE_SUFFIX = '.tar.gz'

/** A folder gets a file that is named by the time; a file keeps the name it was given. */
export async function backupPath(to: string, { name, now }: { name: string; now: Date }): Promise<string> {
  const found = await stat(to).catch(() => null)
  const isFolder = found?.isDirectory() ?? (to.endsWith('/') || !/\.[A-Za-z0-9]+$/.test(to))
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return isFolder ? join(to, `${name}-${time}${FILE_SUFFIX}`) : to
}
