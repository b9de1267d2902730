import { beforeAll, describe, expect, test } from 'bun:test'
import { numberCommands } from '../../src/cli/number.commands.ts'
import { paymentAccountCommands } from '../../src/cli/payment-account.commands.ts'
import { useTestApp } from '../support/app.ts'
import { citusUrl } from '../support/cluster.ts'
import { aKey, anOrganization } from '../support/makers.ts'
import { answer } from '../support/receiver.ts'
import { runCommand, useCommandSettings } from '../support/run-command.ts'
import { until } from '../support/until.ts'
import { type HookReceiver, type Json, useReceivers } from '../support/webhooks.ts'

/**
 * A request is one transaction on the shard of its organization. Here every statement that reads or writes several shards fails, as it
 * does while a worker is away; what the server does for all organizations at its own times fails too, and no request depends on it.
 */
describe.if(citusUrl() !== null)('a cluster in which no statement may touch several shards', () => {
  const nexkit = useTestApp({ isRequestLogOn: false })
  useCommandSettings(nexkit)
  const aReceiver = useReceivers()
  let token = ''
  let receiver: HookReceiver

  const api = async (method: 'GET' | 'POST', path: string, json?: unknown): Promise<Json> => {
    const init = { method, token, ...(json !== undefined && { json }) }
    const reply = await nexkit.call(`/api/public/v1${path}`, init)
    if (!reply.ok) throw new Error(`${method} ${path}: ${await reply.text()}`)
    return reply.json()
  }

  const order = {
    billingType: 'qris',
    customer: { name: 'Sari', phone: '+6281311112222' },
    items: [{ name: 'Kopi susu', quantity: 2, unit_price: 18_000 }],
  }
  const message = { to: '+6281311112222', body: 'Pesanan sudah kami kirim.' }

  beforeAll(async () => {
    const { id, slug } = await anOrganization(nexkit.database)
    token = (await aKey(nexkit.database, id)).token
    await runCommand(numberCommands, [
      ...['number', 'create', '--connector', 'simulator', '--org', slug],
      ...['--phone-number-id', '100200300400502', '--display-phone', '+6281200009002', '--reply-window', 'off'],
    ])
    await runCommand(paymentAccountCommands, ['payment-account', 'create', '--provider', 'simulator', '--org', slug])
    receiver = await aReceiver(() => answer())
    await api('POST', '/webhook-endpoints', {
      url: receiver.url,
      events: ['order.created', 'order.paid', 'message.sent'],
    })
    const name = new URL(nexkit.url).pathname.slice(1)
    await nexkit.database.script(`alter database ${name} set citus.multi_task_query_log_level = 'error'`)
    await until(async () => {
      nexkit.database.renewConnections()
      return nexkit.database.many`select org_id from outbox_entries`.then(
        () => false,
        () => true,
      )
    })
  })

  const countTwoPhase = async (): Promise<number> =>
    (await nexkit.database.one<{ count: number }>`select count(*)::int as count from pg_dist_transaction`).count

  const received = (type: string) => receiver.requests.filter(({ body }) => body.includes(`"type":"${type}"`)).length

  test('takes and sends messages, takes and settles orders, and notifies, without two-phase commits', async () => {
    const before = await countTwoPhase()
    const { id } = await api('POST', '/messages', message)
    await until(async () => ['sent', 'delivered', 'read'].includes((await api('GET', `/messages/${id}`)).status))
    await until(() => received('message.sent') === 1)
    await api('POST', '/simulator/messages', { from: '+6281399990000', text: 'Mau pesan' })
    await until(async () => (await api('GET', '/chats')).data.length === 2)
    const created = await api('POST', '/orders', order)
    await until(() => received('order.created') === 1)
    await api('POST', `/simulator/payments/${created.payment.id}`, { scenario: 'paid' })
    await until(async () => (await api('GET', `/orders/${created.id}`)).status === 'confirmed')
    await until(() => received('order.paid') === 1)
    // Citus forgets earlier ones after a while.
    expect(await countTwoPhase()).toBeLessThanOrEqual(before)
  })
})
