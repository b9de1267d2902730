import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useTestDatabase } from '../../test/support/database.ts'
import { quietLog } from '../../test/support/log.ts'
import { anOrganization } from '../../test/support/makers.ts'
import { runCommand, useCommandSettings } from '../../test/support/run-command.ts'
import { TEST_SECRET_KEY } from '../../test/support/secret-key.ts'
import { writeCheckpoints } from '../accounts/audit/audit-checkpoints.ts'
import { type AuditContext, auditContext, recordAuditAlone } from '../accounts/audit/audit-log.ts'
import { systemClock } from '../kernel/clock.ts'
import { createFileStorage } from '../platform/storage/file-storage.ts'
import { auditCommands } from './audit.commands.ts'

const db = useTestDatabase()
const folder = mkdtempSync(join(tmpdir(), 'nexkit-audit-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const store = join(folder, 'checkpoints')
useCommandSettings(db, { NEXKIT_AUDIT_CHECKPOINTS: store, NEXKIT_DATA_DIR: join(folder, 'data') })

const run = (...words: string[]) => runCommand(auditCommands, ['audit', ...words])
let org: { id: `org_${string}`; slug: string }
let context: AuditContext
let path: string
let lines: string[]

/** Four entries, all of them covered by a checkpoint, and their export. */
beforeEach(async () => {
  const checkpointStore = createFileStorage(store)
  context = auditContext({
    database: db.database,
    clock: systemClock,
    secretKey: TEST_SECRET_KEY,
    checkpointStore,
  })
  org = await anOrganization(db.database)
  const actor = { type: 'user' as const, id: 'usr_1', name: 'sari@example.com' }
  for (const act of ['createKey', 'revokeKey', 'changeRole', 'deleteNumber'])
    await recordAuditAlone(context, org.id, {
      actor,
      act,
      subject: 'key_1',
      requestId: 'req_1',
      address: '203.0.113.7',
    })
  await writeCheckpoints(context, quietLog)
  const { out } = await run('export', '--org', org.slug)
  lines = out.trimEnd().split('\n')
  path = join(folder, `${org.slug}.jsonl`)
  writeFileSync(path, out)
})

describe('audit verify --org', () => {
  test('ends with 0 when the log is intact and with 1 and the missing entries when its end was cut off', async () => {
    const intact = await run('verify', '--org', org.slug)
    expect(intact.exitCode).toBe(0)
    expect(intact.out).toMatch(/is intact: 4 entries\. The checkpoint of \S+ covers 4 of them\.\n$/)
    await db.database.run`delete from audit_entries where org_id = ${org.id} and sequence > 2`
    await db.database.run`
      update audit_heads set last_sequence = 2, linked_sequence = 2, linked_hash = (
        select hash from audit_entries where org_id = ${org.id} and sequence = 2) where org_id = ${org.id}`
    await db.database.run`delete from audit_checkpoints where org_id = ${org.id}`
    const cut = await run('verify', '--org', org.slug)
    expect(cut.exitCode).toBe(1)
    expect(cut.out).toContain('Entries 3 to 4 are missing at the end')
    const json = JSON.parse((await run('verify', '--org', org.slug, '--json')).out)
    expect(json).toMatchObject({ object: 'audit_verification', is_intact: false, broken_at: 3 })
  })

  test('names the entry when one was changed', async () => {
    await db.database.run`update audit_entries set actor_id = 'usr_2' where org_id = ${org.id} and sequence = 3`
    const { exitCode, out } = await run('verify', '--org', org.slug)
    expect([exitCode, out]).toEqual([1, expect.stringContaining('Entry 3 was changed')])
  })

  test('says so when the checkpoints cannot be read', async () => {
    writeFileSync(join(store, `${org.id}.json`), 'no JSON')
    await expect(run('verify', '--org', org.slug)).rejects.toThrow(`The checkpoints in ${store} cannot be read`)
  })

  test('is refused when neither or both of --org and --file are given', async () => {
    await expect(run('verify')).rejects.toThrow('Give either --org or --file.')
    await expect(run('verify', '--org', 'x', '--file', 'y')).rejects.toThrow('Give either --org or --file.')
  })
})

describe('audit verify --file', () => {
  /** On a machine that has neither the database nor the key. */
  const elsewhere = async (file: string) => {
    const { DATABASE_URL, NEXKIT_SECRET_KEY } = process.env
    delete process.env.DATABASE_URL
    delete process.env.NEXKIT_SECRET_KEY
    try {
      return await run('verify', '--file', file)
    } finally {
      Object.assign(process.env, { DATABASE_URL, NEXKIT_SECRET_KEY })
    }
  }
  const edited = (change: (lines: string[]) => string[]) => {
    const file = join(folder, 'edited.jsonl')
    writeFileSync(file, `${change([...lines]).join('\n')}\n`)
    return file
  }

  test('accepts an export with and without the secret key', async () => {
    expect(await run('verify', '--file', path)).toMatchObject({ exitCode: 0, out: `${path} is intact: 4 entries.\n` })
    const unkeyed = await elsewhere(path)
    expect([unkeyed.exitCode, unkeyed.out]).toEqual([0, expect.stringContaining('were not checked')])
  })

  test('accepts an export of entries that are not linked yet, and refuses it when one was changed', async () => {
    const actor = { type: 'user' as const, id: 'usr_1', name: null }
    await recordAuditAlone(context, org.id, { actor, act: 'createKey', subject: null, requestId: null, address: null })
    lines = (await run('export', '--org', org.slug)).out.trimEnd().split('\n')
    expect(JSON.parse(lines[4] as string)).toMatchObject({ sequence: 5, hash: null, mac: expect.any(String) })
    for (const verify of [(file: string) => run('verify', '--file', file), elsewhere])
      expect(await verify(edited((all) => all))).toMatchObject({
        exitCode: 0,
        out: expect.stringContaining('5 entries'),
      })
    const { exitCode, out } = await run(
      'verify',
      '--file',
      edited((all) => all.with(4, (all[4] as string).replace('createKey', 'readKey'))),
    )
    expect([exitCode, out]).toEqual([1, expect.stringContaining('Entry 5 was changed')])
  })

  test.each<[string, (lines: string[]) => string[], string]>([
    [
      'an entry was changed',
      ([first = '', ...rest]) => [first.replace('createKey', 'readKey'), ...rest],
      'Entry 1 was changed',
    ],
    ['an entry is missing', (all) => all.toSpliced(1, 1), 'Entry 2 is missing'],
    ['its last entries are missing', (all) => all.toSpliced(2, 2), 'The last line was written for 4 entries'],
    ['its end was cut off', (all) => all.slice(0, 3), 'is missing: the file was cut off'],
    ['something follows its end', (all) => [...all, all[0] as string], 'follows the end of the export'],
    ['a line is no JSON', (all) => all.with(1, '{'), 'is no line of an export'],
  ])('ends with 1 when %s', async (_, change, says) => {
    const { exitCode, out } = await run('verify', '--file', edited(change))
    expect([exitCode, out]).toEqual([1, expect.stringContaining(says)])
    expect((await elsewhere(edited(change))).exitCode).toBe(1)
  })

  test('ends with 1 when the last line was written anew without the secret key', async () => {
    const end = JSON.parse(lines.at(-1) as string)
    const kept = lines.slice(0, 2)
    const { createHash } = await import('node:crypto')
    const sha256 = createHash('sha256')
      .update(`${kept.join('\n')}\n`)
      .digest('hex')
    const file = edited(() => [...kept, JSON.stringify({ ...end, entries: 2, sha256, checkpoints: [] })])
    const { exitCode, out } = await run('verify', '--file', file)
    expect([exitCode, out]).toEqual([1, expect.stringContaining('was not signed with this secret key')])
  })

  test('names the missing entries when the log was cut off before its export', async () => {
    await db.database.run`delete from audit_entries where org_id = ${org.id} and sequence > 3`
    await db.database.run`
      update audit_heads set last_sequence = 3, linked_sequence = 3, linked_hash = (
        select hash from audit_entries where org_id = ${org.id} and sequence = 3) where org_id = ${org.id}`
    writeFileSync(path, (await run('export', '--org', org.slug)).out)
    const { exitCode, out } = await run('verify', '--file', path)
    expect([exitCode, out]).toEqual([1, expect.stringContaining('Entries 4 to 4 are missing at the end')])
  })

  test('is refused when there is no such file', async () => {
    await expect(run('verify', '--file', join(folder, 'nothing.jsonl'))).rejects.toThrow('cannot be read')
    expect(readFileSync(path, 'utf8')).toEndWith('\n')
  })
})
