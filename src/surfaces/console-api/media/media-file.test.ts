import { expect, test } from 'bun:test'
import { useTestDatabase } from '../../../../test/support/database.ts'
import { anOrganization } from '../../../../test/support/makers.ts'
import { createMemoryStorage } from '../../../../test/support/memory-storage.ts'
import { storeMedia } from '../../../channels/media/media-files.ts'
import { systemClock } from '../../../kernel/clock.ts'
import { sendFile } from './media-file.ts'

const db = useTestDatabase()
const storage = createMemoryStorage()
const context = () => ({ database: db.database, clock: systemClock, storage })

async function aFile(mimeType: string, filename: string | null = null) {
  const { id: orgId } = await anOrganization(db.database)
  const media = await storeMedia(context(), orgId, {
    bytes: Buffer.from('<b>bytes</b>'),
    mimeType,
    filename,
    numberId: null,
  })
  return { orgId, id: media.id }
}

test('a picture is shown in place, and nothing of it can run', async () => {
  const { orgId, id } = await aFile('image/png')
  const reply = await sendFile(context(), orgId, id)
  expect([reply.status, await reply.text()]).toEqual([200, '<b>bytes</b>'])
  expect(reply.headers.get('content-type')).toBe('image/png')
  expect(reply.headers.get('content-disposition')).toStartWith('inline')
  expect(reply.headers.get('content-security-policy')).toContain('sandbox')
})

test('what could be a page is a download', async () => {
  const { orgId, id } = await aFile('text/html', 'faktur "November".html')
  const reply = await sendFile(context(), orgId, id)
  expect(reply.headers.get('content-type')).toBe('application/octet-stream')
  expect(reply.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''faktur%20%22November%22.html")
})

test("another organization's file is not there", async () => {
  const { id } = await aFile('image/png')
  const { id: otherOrganization } = await anOrganization(db.database)
  expect((await sendFile(context(), otherOrganization, id)).status).toBe(404)
})
