import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { journalOf } from '../../test/support/channels.ts'
import { useTestDatabase } from '../../test/support/database.ts'
import { loopbackEgress } from '../../test/support/egress.ts'
import { anOrganization } from '../../test/support/makers.ts'
import { runCommand, useCommandSettings } from '../../test/support/run-command.ts'
import { aText } from '../../test/support/simulator.ts'
import { until } from '../../test/support/until.ts'
import type { ChannelConnector, ChannelNumber, ChannelReport } from '../channels/channel-connector.ts'
import { createSimulator } from '../channels/connectors/simulator/simulator.ts'
import { createWhatsAppCloud } from '../channels/connectors/whatsapp-cloud/whatsapp-cloud.ts'
import type { MessageContent } from '../channels/content/message-content.ts'
import { markJournalApplied } from '../channels/journal/journal.sql.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId, type OrgId } from '../kernel/ids.ts'
import { deleteProcess, upsertProcess } from '../platform/cluster/live-processes.sql.ts'
import { numberCommands } from './number.commands.ts'
import { simulateCommands } from './simulate.commands.ts'

/** Runs the commands on a database without a server and checks their output and the journal. */
const db = useTestDatabase()
const folder = mkdtempSync(join(tmpdir(), 'nexkit-simulate-'))
useCommandSettings(db, { NEXKIT_DATA_DIR: folder })
const dialect = createWhatsAppCloud({ egress: loopbackEgress, userAgent: 'Nexkit/test' })
let [slug, orgId, numberId] = ['', '' as OrgId, '']
let network = {} as ChannelConnector

const run = async (words: string[]): Promise<string> =>
  (await runCommand([...numberCommands, ...simulateCommands], words)).out

const asJson = async (...words: string[]) => JSON.parse(await run([...words, '--json']))
const aSimulatorNumber = (org: string, phoneNumberId: string, phone: string) =>
  asJson(
    'number',
    'create',
    '--org',
    org,
    ...['--connector', 'simulator', '--phone-number-id', phoneNumberId],
    ...['--display-phone', phone],
  )
const simulate = (...words: string[]) => asJson('simulate', ...words, '--org', slug)

/** What the newest hooks of the number say. */
async function reported(): Promise<ChannelReport[]> {
  const rows = await journalOf(db.database, orgId, numberId)
  return rows.flatMap(({ body }) => dialect.readBatch(body))
}
const newest = async () => (await reported())[0]

/** A message that a customer was sent. */
async function aReceived(from: string, content: MessageContent = { type: 'text', body: 'Halo' }): Promise<string> {
  const message = aText(from, { content })
  const number = { orgId, id: numberId, phoneNumberId: '1002', displayPhone: '+6281200009000', settings: {} }
  await network.send(number as unknown as ChannelNumber, message, AbortSignal.timeout(5_000))
  return message.id
}

beforeAll(async () => {
  const organization = await anOrganization(db.database)
  slug = organization.slug
  orgId = organization.id
  numberId = (await aSimulatorNumber(slug, '1002', '+6281200009000')).id
  const sender = () => {
    throw new Error('nothing is reported from here')
  }
  network = createSimulator({ database: db.database, clock: systemClock, sender, wake: () => {} }).connector
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('a command ends when the running server has applied its hook', async () => {
  const server = { id: newId('prc'), role: 'all', host: 'here', pid: 1, version: '0' }
  await upsertProcess(db.database, server)
  let hasEnded = false
  const writing = simulate('message', '--from', '081311119999', '--text', 'Masih ada?').then(() => {
    hasEnded = true
  })
  const entries = () => journalOf(db.database, orgId, numberId)
  await until(async () => (await entries()).length > 0)
  // A command that does not wait ends while the server is asked these few times.
  let looks = 0
  await until(async () => hasEnded || ((await entries()).length > 0 && ++looks > 30))
  expect(hasEnded).toBe(false)
  const applied = (await entries()).map(({ id }) => ({ id, problem: null }))
  await markJournalApplied(db.database, orgId, applied, new Date())
  await writing
  await deleteProcess(db.database, server.id)
})

describe('simulate', () => {
  test('message puts what a customer wrote into the journal, and says who it was', async () => {
    const written = await simulate('message', '--from', '0813-1111-2222', '--name', 'Sari', '--text', 'Halo kopi')
    expect(written).toMatchObject({ org: slug, number: numberId, person: { phone: '6281311112222', name: 'Sari' } })
    expect(await newest()).toMatchObject({
      kind: 'message',
      providerId: written.provider_ids[0],
      from: { phone: '6281311112222', name: 'Sari' },
      content: { type: 'text', body: 'Halo kopi' },
    })
    const line = await run(['simulate', 'message', '--from', '081311112222', '--text', 'Lagi', '--org', slug])
    expect(line).toContain('Sari (+6281311112222) sent one message to +6281200009000')
  })

  test('message says which advertisement led there, which product is asked about, and that it was forwarded', async () => {
    const ad = ['--ad', 'Kopi susu gula aren', '--forwarded']
    await simulate('message', '--from', '081311110003', '--text', 'Halo', ...ad)
    expect(await newest()).toMatchObject({
      isForwarded: true,
      referral: { source_type: 'ad', headline: 'Kopi susu gula aren', source_id: expect.stringMatching(/^1202\d+$/) },
      referredProduct: null,
    })
    const path = join(folder, 'kopi.jpg')
    writeFileSync(path, 'a picture')
    await simulate('message', '--from', '081311110003', '--media', path, '--product', 'KOPI-AREN')
    expect(await newest()).toMatchObject({
      content: { type: 'image' },
      isForwarded: false,
      referral: null,
      referredProduct: { catalog_id: '100000000000001', product_retailer_id: 'KOPI-AREN' },
    })
  })

  test('message writes several at once, hides a phone, and sends a file', async () => {
    const many = await simulate('message', '--from', '081311110001', '--text', 'Halo', '--count', '3')
    expect(many.provider_ids.length).toBe(3)
    const texts = (await reported()).slice(0, 3).map((report) => report.kind === 'message' && report.content)
    expect(texts).toEqual([1, 2, 3].map((nth) => ({ type: 'text', body: `Halo (${nth})` })))
    await simulate('message', '--from', '081311110002', '--text', 'Halo', '--no-phone')
    expect(await newest()).toMatchObject({ from: { phone: null, userId: expect.stringMatching(/^ID\./) } })
    const path = join(folder, 'nota.pdf')
    writeFileSync(path, 'a document')
    await simulate('message', '--from', '081311110002', '--media', path, '--text', 'Nota')
    expect(await newest()).toMatchObject({
      content: { type: 'document', body: 'Nota', media: { filename: 'nota.pdf' } },
    })
  })

  test('read, react, reply and status are about what the customer was sent', async () => {
    const from = '081311110003'
    const buttons: MessageContent = {
      type: 'interactive',
      interactive: { type: 'button', action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Ya' } }] } },
    }
    const id = await aReceived('+6281311110003', buttons)
    expect((await simulate('read', '--from', from)).read).toEqual([id])
    expect(await newest()).toMatchObject({ kind: 'status', status: 'read', clientToken: id })
    expect(await run(['simulate', 'read', '--from', from, '--org', slug])).toContain('no unread messages')
    await simulate('react', '--from', from, '--message', id, '--emoji', '❤️')
    expect(await newest()).toMatchObject({ content: { type: 'reaction', reaction: { emoji: '❤️' } } })
    await simulate('reply', '--from', from, '--message', id, '--choice', 'Ya')
    expect(await newest()).toMatchObject({ content: { interactive: { button_reply: { id: 'yes' } } } })
    await simulate('status', '--message', id, '--status', 'failed', '--code', '131049')
    expect(await newest()).toMatchObject({ status: 'failed', clientToken: id, failure: { providerCode: '131049' } })
  })

  test('cart and change-number', async () => {
    await simulate('cart', '--from', '081311110004', '--items', 'KOPI*2@18000, ROTI@12000', '--text', 'Pesan')
    expect(await newest()).toMatchObject({
      content: {
        type: 'order',
        body: 'Pesan',
        order: {
          product_items: [
            { product_retailer_id: 'KOPI', quantity: 2, item_price: 18_000, currency: 'IDR' },
            { product_retailer_id: 'ROTI', quantity: 1, item_price: 12_000, currency: 'IDR' },
          ],
        },
      },
    })
    await simulate('change-number', '--from', '081311110004', '--to', '081311110005')
    expect(await newest()).toMatchObject({ kind: 'identity', after: { phone: '6281311110005' } })
  })

  test('the only organization need not be named, and a number is found by each of its names', async () => {
    const message = ['simulate', 'message', '--from', '081311110006', '--text', 'Halo']
    expect((await asJson(...message)).org).toBe(slug)
    for (const name of [numberId, '1002', '+62 812-0000-9000'])
      expect((await asJson(...message, '--number', name)).number).toBe(numberId)
  })
})

describe('what cannot be done is refused with a sentence that says what to do', () => {
  const message = (...more: string[]) =>
    run(['simulate', 'message', '--from', '081311112222', '--text', 'Halo', ...more])

  test.each([
    ['an unknown organization', () => message('--org', 'unknown'), 'no organization with the slug "unknown"'],
    ['an invalid number', () => message('--org', slug, '--number', 'x'), 'Use one of: num_'],
    ['a phone that cannot exist', () => run(['simulate', 'read', '--from', '12', '--org', slug]), '--from "12"'],
    [
      'nothing to write',
      () => run(['simulate', 'message', '--from', '081311112222', '--org', slug]),
      '--text, --media',
    ],
    ['an invalid count', () => message('--org', slug, '--count', '0'), '--count'],
    [
      'an answer that is forwarded',
      () => message('--org', slug, '--forwarded', '--reply-to', 'msg_1'),
      '--forwarded or --reply-to',
    ],
    [
      'one advertisement for several messages',
      () => message('--org', slug, '--ad', 'Kopi', '--count', '2'),
      'with the first message only',
    ],
    ['a file that is not there', () => message('--org', slug, '--media', '/nowhere/a.jpg'), 'cannot be read'],
    [
      'invalid items',
      () => run(['simulate', 'cart', '--from', '081311112222', '--items', 'KOPI', '--org', slug]),
      'KOPI*2@18000',
    ],
    [
      'an invalid status',
      () => run(['simulate', 'status', '--message', 'msg_1', '--status', 'lost', '--org', slug]),
      'sent, delivered',
    ],
    [
      'a message that was never sent',
      () => run(['simulate', 'react', '--from', '081311112222', '--message', 'msg_1', '--org', slug]),
      'not the id',
    ],
  ])('%s', async (_, work, sentence) => {
    await expect(work()).rejects.toThrow(sentence)
  })

  test('no simulator number, and several organizations that have one', async () => {
    const other = await anOrganization(db.database)
    await expect(message('--org', other.slug)).rejects.toThrow(
      `number create --org ${other.slug} --connector simulator`,
    )
    expect(await message()).toContain('+6281200009000')
    await aSimulatorNumber(other.slug, '1003', '+6281200009003')
    await expect(message()).rejects.toThrow(`--org ${slug} | ${other.slug}`)
  })
})
