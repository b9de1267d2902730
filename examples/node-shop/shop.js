import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { serve } from '@hono/node-server'
import { Nexkit, verifyWebhookRequest, WebhookVerificationError } from '@nexkit/sdk'
import { Hono } from 'hono'

const { NEXKIT_KEY, WEBHOOK_SECRET, NEXKIT_URL = 'http://127.0.0.1:3900', PORT = '8081' } = process.env
if (!NEXKIT_KEY || !WEBHOOK_SECRET) throw new Error('Set NEXKIT_KEY and WEBHOOK_SECRET as README.md shows.')

const nexkit = new Nexkit({ token: NEXKIT_KEY, baseUrl: NEXKIT_URL })

/** Marks the orders of this program: `order.paid` is sent for every order of the organization. */
const SOURCE = 'node-shop'

/** "pesan 2" becomes an order. Nexkit sends its QR code to the chat. */
async function takeOrder(event) {
  const { id, chat_id, body } = event.data
  const words = /^pesan(?:\s+([1-9]\d?))?$/i.exec(body?.trim() ?? '')
  if (words === null) return
  const quantity = Number(words[1] ?? 1)
  const order = await nexkit.orders.create(
    {
      billingType: 'qris',
      items: [{ sku: 'KOPI-SUSU', name: 'Kopi susu', quantity, unit_price: 18_000 }],
      chat_id,
      reference: id,
      metadata: { source: SOURCE },
    },
    onceFor(event),
  )
  console.log(`Order ${order.number}: ${quantity} kopi susu, Rp ${order.total}, ${order.payment?.pay_url}`)
}

/** Nexkit sends the receipt. The shop starts to prepare the order and says how long it takes. */
async function prepareOrder(event) {
  const { id, number, chat_id, metadata } = event.data
  if (metadata.source !== SOURCE) return
  await nexkit.orders.process(id, onceFor(event))
  const body = `Pesanan #${number} sedang kami siapkan, siap dalam 10 menit.`
  await nexkit.messages.send({ to: chat_id, body }, onceFor(event))
  console.log(`Order ${number}: paid, in preparation`)
}

const handlers = { 'message.received': takeOrder, 'order.paid': prepareOrder }

/** If this program stops between a call and `remember`, the retry repeats the call and changes nothing. */
const onceFor = (event) => ({ idempotencyKey: `${SOURCE}-${event.id}` })

/** Ids of handled events. `webhook-id` is the same on every delivery of an event. A shop stores it in its database. */
const HANDLED = 'data/handled.txt'
mkdirSync('data', { recursive: true })
appendFileSync(HANDLED, '')
const handled = new Set(readFileSync(HANDLED, 'utf8').split('\n'))

function remember(id) {
  appendFileSync(HANDLED, `${id}\n`)
  handled.add(id)
}

const app = new Hono()

app.post('/hooks', async (context) => {
  const event = await verifyWebhookRequest(context.req.raw, WEBHOOK_SECRET)
  if (event.test || handled.has(event.id)) return context.body(null, 204)
  await handlers[event.type]?.(event)
  remember(event.id)
  return context.body(null, 204)
})

/** Every answer but 2xx makes Nexkit deliver the event again later. */
app.onError((error, context) => {
  if (error instanceof WebhookVerificationError) return context.text(error.message, 401)
  console.error(error)
  return context.text('The event was not handled.', 500)
})

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(PORT) }, ({ port }) =>
  console.log(`Listening on http://127.0.0.1:${port}/hooks`),
)
