import { expect, test } from 'bun:test'
import { testAppOptions } from '../../../test/support/app.ts'
import { useTestDatabase } from '../../../test/support/database.ts'
import { createApp } from '../../app.ts'
import type { Database } from '../../platform/database/database.ts'

const db = useTestDatabase()

test('people can sign in once the database is back, although the first request failed while it was away', async () => {
  let isAway = true
  const away = async () => {
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  }
  const many = (...query: Parameters<Database['many']>) => (isAway ? away() : db.database.many(...query))
  const database = { ...db.database, many } as Database
  const app = createApp(testAppOptions({ ...db, database }))
  const signIn = async () => {
    const headers = { 'content-type': 'application/json', origin: 'http://localhost:3900' }
    const body = JSON.stringify({ email: 'unknown@example.com', password: 'correct horse battery' })
    const request = new Request('http://localhost:3900/api/auth/login', { method: 'POST', headers, body })
    return (await app.fetch(request, () => '127.0.0.1')).status
  }
  expect(await signIn()).toBe(503)
  isAway = false
  expect(await signIn()).toBe(401)
})
