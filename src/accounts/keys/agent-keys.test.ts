import { expect, test } from 'bun:test'
import { readMigrations } from '../../platform/database/migrate.ts'

test('a program older than agents refuses to start because it would accept agent tokens as plain keys', async () => {
  const migrations = await readMigrations('migrations')
  expect(migrations.find(({ text }) => text.includes('add column agent_id'))).toMatchObject({ isBreaking: true })
})
