import { expect, test } from 'bun:test'
import { readMigrations } from '../platform/database/migrate.ts'

test('a program from before agents refuses to start: to it their tokens would be plain keys that nobody is asked about', async () => {
  const migrations = await readMigrations('migrations')
  expect(migrations.find(({ text }) => text.includes('add column agent_id'))).toMatchObject({ isBreaking: true })
})
