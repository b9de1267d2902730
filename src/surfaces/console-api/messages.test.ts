import { expect, test } from 'bun:test'
import { useTestApp } from '../../../test/support/app.ts'
import { type Browser, signedIn } from '../../../test/support/console.ts'
import { anOrganization } from '../../../test/support/makers.ts'

const app = useTestApp()

/** A shop with a message that was sent. */
async function aShop() {
  const { id: orgId } = await anOrganization(app.database)
  const owner = await signedIn(app, orgId, 'owner')
  const newNumber = {
    connector: 'simulator',
    phone_number_id: `${Date.now()}`,
    display_phone: '+6281200009000',
    settings: { reply_window: false },
  }
  await owner.call('POST', '/api/console/numbers', newNumber)
  const message = { to: '+6281311112222', body: 'Sudah siap', client_reference: 'struk 17' }
  const sent = await owner.call('POST', '/api/proxy/messages', message)
  return { orgId, owner, sent: (await sent.json()) as { id: string; chat_id: string } }
}

const again = (browser: Browser, id: string, key?: string) =>
  browser.call(
    'POST',
    `/api/console/messages/${id}/again`,
    {},
    key === undefined ? {} : { headers: { 'idempotency-key': key } },
  )

test('a person who may send messages resends one, once per idempotency key', async () => {
  const { orgId, owner, sent } = await aShop()
  const staff = await signedIn(app, orgId, 'agent')
  const [first, second] = [await again(staff, sent.id, 'one-key'), await again(staff, sent.id, 'one-key')]
  expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true'])
  expect(await second.json()).toEqual(await first.json())
  const thread = (await (await owner.call('GET', `/api/proxy/chats/${sent.chat_id}`)).json()) as {
    messages: { data: { body: string; client_reference: string }[] }
  }
  const { data } = thread.messages
  expect(data.map(({ body, client_reference }) => [body, client_reference])).toEqual([
    ['Sudah siap', 'struk 17'],
    ['Sudah siap', 'struk 17'],
  ])
})

test('a message is not resent by a person who may only read, or who belongs to another organization', async () => {
  const [mine, theirs] = [await aShop(), await aShop()]
  const viewer = await signedIn(app, mine.orgId, 'viewer')
  expect((await again(viewer, mine.sent.id)).status).toBe(403)
  expect((await again(mine.owner, theirs.sent.id)).status).toBe(404)
})

test('a note has the name of its author and not the email', async () => {
  const { orgId, owner, sent } = await aShop()
  const staff = await signedIn(app, orgId, 'agent')
  const chat = await owner.call('GET', `/api/proxy/chats/${sent.chat_id}`)
  const { contact } = (await chat.json()) as { contact: { id: string } }
  const note = await staff.call('POST', `/api/proxy/contacts/${contact.id}/notes`, { body: 'Minta kuitansi' })
  const text = await note.text()
  expect(JSON.parse(text).author).toEqual({
    type: 'user',
    id: staff.person.id,
    name: expect.stringMatching(/^Person /),
  })
  expect(text).not.toContain(staff.person.email)
})
