import { expect, test } from 'bun:test'
import { z } from 'zod'
import { useTestDatabase } from '../../test/support/database.ts'
import { createTestApi } from '../../test/support/public-api.ts'
import { newId, type OrgId } from '../kernel/ids.ts'
import { defineEvent } from './event-types.ts'
import { eventRoutes } from './events.routes.ts'

const db = useTestDatabase()
const data = z.object({ text: z.string() })
const define = (name: string, fields: { isDeprecated?: boolean } = {}) =>
  defineEvent({ name, description: 'Something happened to a leaf.', data, example: { text: 'x' }, ...fields })
define('leaf.grown')
define('leaf.fallen', { isDeprecated: true })

const clock = { now: () => Date.now() }
const call = async (orgId: OrgId, path: string) => {
  const api = createTestApi({ database: db.database, clock, routes: eventRoutes(db) })
  const reply = await api('GET', path, { orgId })
  return { status: reply.status, json: await reply.json() }
}

test('the catalogue tells which types are deprecated', async () => {
  const { json } = await call(newId('org'), '/event-types')
  const deprecated = json.data.flatMap((type: { name: string; deprecated: boolean }) =>
    type.name.startsWith('leaf.') ? [[type.name, type.deprecated]] : [],
  )
  expect(deprecated).toEqual([
    ['leaf.fallen', true],
    ['leaf.grown', false],
  ])
})
