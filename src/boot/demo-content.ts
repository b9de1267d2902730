import type { Customers } from '../channels/connectors/simulator/simulator.ts'
import { getDefaultNumber } from '../channels/numbers/numbers.ts'
import type { Database } from '../platform/database/database.ts'
import { EXAMPLE_MARK, EXAMPLE_TEXTS, OPEN_EXAMPLE_MARK } from '../surfaces/console-api/home/checklist.ts'
import type { DemoKey } from './demo.ts'

/**
 * A morning at the Demo Store, so that no page is empty on the first day: customers write through the simulator, the shop
 * answers and takes orders through its own public API. Nothing here is done in a way that a customer or a key could not. Records
 * that would look like the first steps of the user are marked, so that the checklist does not count them.
 */
export type DemoStage = {
  database: Database
  customers: Pick<Customers, 'customerWrites'>
  fetch: (request: Request, readSocketAddress: () => string) => Response | Promise<Response>
  publicUrl: string
}

const SARI = { phone: '+6281311112222', name: 'Sari' }
const BUDI = { phone: '+6281322223333', name: 'Budi' }
const DEWI = { phone: '+6281333334444', name: 'Dewi' }

export async function playDemo(stage: DemoStage, demo: DemoKey): Promise<void> {
  const number = await getDefaultNumber(stage.database, demo.organizationId)
  const write = ({ phone, name }: typeof SARI, body: string) =>
    stage.customers.customerWrites({
      number: { orgId: demo.organizationId, id: number.id },
      from: phone,
      name,
      content: { type: 'text', body },
    })
  const post = (path: string, body: object) => call(stage, demo, path, body)

  await write(SARI, EXAMPLE_TEXTS.sariAsks)
  await post('/messages', {
    to: SARI.phone,
    body: 'Halo Sari! Masih ada, Rp 18.000 segelas. Mau pesan berapa?',
  })
  await write(SARI, EXAMPLE_TEXTS.sariOrders)
  await post('/orders', {
    billingType: 'qris',
    payment: { method: 'qris', expires_in_seconds: 86_400 },
    items: [
      { sku: 'KOPI-AREN', name: 'Kopi susu gula aren', quantity: 2, unit_price: 18_000 },
      { sku: 'ROTI-BAKAR', name: 'Roti bakar cokelat', quantity: 1, unit_price: 22_000 },
    ],
    customer: SARI,
    metadata: OPEN_EXAMPLE_MARK,
  })
  await write(DEWI, EXAMPLE_TEXTS.dewiAsks)
  // An amount that pays itself after two seconds: see docs/concepts/simulator.md.
  await post('/orders', {
    billingType: 'virtual_account',
    payment: { method: 'virtual_account', bank: 'bca' },
    items: [{ sku: 'SARAPAN-5', name: 'Paket sarapan isi 5', quantity: 1, unit_price: 85_000 }],
    shipping: 5_100,
    customer: DEWI,
    metadata: EXAMPLE_MARK,
  })
  await write(BUDI, EXAMPLE_TEXTS.budiAsks)
}

async function call({ fetch, publicUrl }: DemoStage, { token }: DemoKey, path: string, body: object): Promise<void> {
  const request = new Request(`${publicUrl}/api/public/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const response = await fetch(request, () => '127.0.0.1')
  if (!response.ok) throw new Error(`the demo was refused ${path}: ${await response.text()}`)
}
