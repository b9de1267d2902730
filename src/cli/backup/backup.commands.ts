import { listOrganizations } from '../../accounts/organizations/organizations.ts'
import { readConfig } from '../../config.ts'
import { StartError } from '../../kernel/errors.ts'
import { MIGRATIONS_FOLDER } from '../../main.ts'
import { readMigrations } from '../../platform/database/migrate.ts'
import { listRestoredWork, resumeRestoredLanes } from '../../platform/outbox/restored-lanes.ts'
import { OUTBOX_CHANNEL } from '../../platform/outbox/wake-ups.ts'
import { defineCommand, jsonOption, UsageError } from '../framework/command.ts'
import { createCommandAudit } from '../framework/command-audit.ts'
import {
  explainUnreachable,
  openCommandDatabase,
  withDatabase,
  withUnpreparedDatabase,
} from '../framework/connection.ts'
import { printJson, printLine, printNote } from '../framework/output.ts'
import { backUp, backupPath, rowsIn } from './backup.ts'
import { moveDatabase } from './move.ts'
import { sizeText } from './progress.ts'
import { checkBackup, restore } from './restore.ts'
import { markFailedOver } from './restored-work.ts'

const BACKUPS_FOLDER = './backups'

export const backupCommands = [
  defineCommand({
    name: 'backup',
    summary: 'Write a backup of the database and the files, while the server runs',
    details:
      'The file has all rows at one moment and the files that they name. It appears under its name when it is whole. The secret key is not in it unless you ask for it: keep the key in another place, because a backup cannot be restored without it.',
    examples: [
      'npx nexkit backup',
      'npx nexkit backup --to /var/backups/nexkit/',
      'npx nexkit backup --to monday.tar.gz --json',
    ],
    options: {
      to: {
        type: 'string',
        help: 'file, or folder for a file that is named by the time',
        placeholder: 'path',
        fallback: BACKUPS_FOLDER,
      },
      'without-files': {
        type: 'boolean',
        help: 'leave out the files of chats, for example when their bucket has its own backups',
      },
      'include-secret-key': {
        type: 'boolean',
        help: 'put the secret key into the file; then the file alone is enough to read every stored credential',
      },
      json: jsonOption,
    },
    async run({ values }) {
      const path = await backupPath(String(values.to), { name: 'nexkit', now: new Date() })
      const hasSecretKey = values['include-secret-key'] === true
      const options = { path, hasFiles: values['without-files'] !== true, hasSecretKey }
      const { bytes, summary } = await withDatabase((database, config) => backUp(database, config, options))
      const [rows, files] = [rowsIn(summary.counts), summary.files.length]
      if (values.json)
        return printJson({
          object: 'backup',
          path,
          bytes,
          rows,
          files,
          missing_files: summary.missing_files,
          has_secret_key: hasSecretKey,
        })
      printLine(`Backup written to ${path} (${sizeText(bytes)}, ${rows} rows, ${files} files).`)
      if (summary.missing_files.length > 0)
        printNote(
          `${summary.missing_files.length} files were not found in the storage: deleted meanwhile, or lost before.`,
        )
      printNote(
        hasSecretKey
          ? 'The secret key is in it: keep this file as safe as the key.'
          : 'The secret key is not in it. Keep a copy of the key in another place: without it the backup cannot be restored.',
      )
    },
  }),
  defineCommand({
    name: 'restore',
    summary: 'Restore a backup into an empty data folder or database',
    details:
      'Checks version, secret key and every byte of the file before it writes anything, and compares every row afterwards. If it is interrupted, run it again. Nothing is sent after a restore until "npx nexkit resume".',
    examples: [
      'npx nexkit restore backups/nexkit-20261118T043000Z.tar.gz',
      'npx nexkit restore monday.tar.gz --key-is-lost',
    ],
    arguments: [{ name: 'backup', help: 'file that "npx nexkit backup" wrote', isRequired: true }],
    options: {
      'key-is-lost': {
        type: 'boolean',
        help: 'continue with another secret key: stored credentials must be entered again',
      },
      json: jsonOption,
    },
    async run({ values, arguments: [path = ''] }) {
      const isKeyLost = values['key-is-lost'] === true
      const migrations = await readMigrations(MIGRATIONS_FOLDER)
      const backup = await checkBackup({ path, config: readConfig(process.env), migrations, isKeyLost })
      const isAlone = { isAlone: true }
      const work = await withUnpreparedDatabase(async (database, config) => {
        await restore(backup, { database, config, migrations, isKeyLost }).catch(explainRefusal)
        return listRestoredWork(database)
      }, isAlone)
      const { counts, files } = backup.summary
      const pending = work.reduce((sum, org) => sum + org.pending, 0)
      if (values.json)
        return printJson({
          object: 'restore',
          backup: path,
          backup_created_at: backup.manifest.created_at,
          rows: rowsIn(counts),
          files: files.length,
          paused_work: pending,
        })
      printLine(`Restored ${rowsIn(counts)} rows and ${files.length} files of ${backup.manifest.created_at}.`)
      printLine(`All outgoing work is paused (${pending} entries), because some of it may have been done since then.`)
      printLine('Next: start the server, check what is pending, then run: npx nexkit resume')
    },
  }),
  defineCommand({
    name: 'pause',
    summary: 'Pause outgoing work after a failover that may lose transactions',
    details:
      'For a standby that was promoted without synchronous replication, and for a database that was restored by other tools. Stop every server, promote, run this, then start: what is pending may have been sent already. As after a restore, nothing is sent until "npx nexkit resume", and sequences of events continue at the next billion.',
    examples: ['npx nexkit pause'],
    options: { json: jsonOption },
    async run({ values }) {
      const organizations = await withDatabase(async (database, config) => {
        const enter = await createCommandAudit(database, config)
        const all = await listOrganizations(database)
        for (const { id } of all)
          await database.transaction(async (tx) => {
            await markFailedOver(tx, id)
            await enter(tx, id, { command: 'pause', act: 'pauseWork', subject: id })
          })
        return all.length
      })
      if (values.json) return printJson({ object: 'pause', organizations })
      printLine(`Outgoing work of ${organizations} organizations is paused.`)
      printLine('Next: start the servers, check what is pending, then run: npx nexkit resume')
    },
  }),
  defineCommand({
    name: 'resume',
    summary: 'Resume work that a restore, an import or "pause" paused',
    details:
      'Deliveries, messages and payment calls that were pending at the time of the backup are then sent, also those that were sent between the backup and the restore. After a failover the same holds for what the standby did not receive. To drop deliveries instead, use "npx nexkit endpoint" first.',
    examples: ['npx nexkit resume', 'npx nexkit resume --org toko-budi'],
    options: {
      org: { type: 'string', help: 'slug of one organization; by default all', placeholder: 'slug' },
      json: jsonOption,
    },
    async run({ values }) {
      const resumed = await withDatabase(async (database, config) => {
        const organizations = (await listOrganizations(database)).filter(
          ({ slug }) => values.org === undefined || slug === values.org,
        )
        if (values.org !== undefined && organizations.length === 0)
          throw new UsageError(`There is no organization with the slug "${values.org}".`)
        const enter = await createCommandAudit(database, config)
        let lanes = 0
        for (const { id } of organizations)
          lanes += await database.transaction(async (tx) => {
            const count = await resumeRestoredLanes(tx, id)
            if (count > 0) await enter(tx, id, { command: 'resume', act: 'resumeRestored', subject: id })
            tx.poke(OUTBOX_CHANNEL)
            return count
          })
        return lanes
      })
      if (values.json) return printJson({ object: 'resume', lanes: resumed })
      printLine(resumed === 0 ? 'Nothing is paused.' : `Resumed ${resumed} lanes. Pending work is sent now.`)
    },
  }),
  defineCommand({
    name: 'move',
    summary: 'Copy the embedded database into your own PostgreSQL',
    details:
      'Stop the server first. Every row is compared on both sides before the copy is kept, and the source is only read. If it is interrupted, run it again.',
    examples: ['npx nexkit move --to postgres://nexkit:secret@db.example.com/nexkit'],
    options: {
      to: { type: 'string', help: 'URL of an empty database', placeholder: 'url', isRequired: true },
      json: jsonOption,
    },
    async run({ values }) {
      const url = String(values.to)
      if (!/^postgres(ql)?:\/\//.test(url)) throw new UsageError('--to must begin with postgres://')
      if (url === readConfig(process.env).databaseUrl)
        throw new UsageError('--to is the database that this command reads from. Set another one.')
      const migrations = await readMigrations(MIGRATIONS_FOLDER)
      const { counts, place } = await withUnpreparedDatabase(
        async (source, config) => {
          const target = openCommandDatabase(url)
          try {
            await target.findPrimary()
            const moved = await moveDatabase({ source, target, migrations }).catch(explainRefusal)
            return { counts: moved, place: config.databaseUrl === null ? config.dataDir : null }
          } finally {
            await target.close()
          }
        },
        { isAlone: true },
      )
      const tables = Object.keys(counts).length
      if (values.json) return printJson({ object: 'move', rows: rowsIn(counts), tables, tables_equal: true })
      printLine(`Copied ${rowsIn(counts)} rows of ${tables} tables; both sides are equal.`)
      printLine('Next, start the server with these settings, and never again without them:')
      printLine('  DATABASE_URL=<the URL of --to>')
      if (place !== null) {
        printLine(`  NEXKIT_SECRET_KEY=<the line in ${place}/secret.key, unless it is set already>`)
        printLine(`  NEXKIT_DATA_DIR=${place}   (files of chats stay there, unless they are in S3)`)
        printLine(
          `The old database in ${place}/postgres was not changed. Remove it when the new one has proved itself.`,
        )
      }
    },
  }),
]

function explainRefusal(error: unknown): never {
  if (error instanceof StartError) throw error
  return explainUnreachable(error)
}
