import { beforeAll, expect, test } from 'bun:test'
import { useTestApp } from '../support/app.ts'
import { aKey, anOrganization } from '../support/makers.ts'

/** The first calls in an organization in which nothing is set up yet: each refusal says which step comes next. */
const app = useTestApp()
let token: string

beforeAll(async () => {
  const { id } = await anOrganization(app.database)
  token = (await aKey(app.database, id)).token
})

const post = async (path: string, json: object) => {
  const response = await app.call(`/api/public/v1${path}`, { method: 'POST', token, json })
  return { status: response.status, json: (await response.json()) as { code: string; detail: string } }
}

test('a message is refused with how to connect a number when there is none', async () => {
  const { status, json } = await post('/messages', { to: '+6281234567890', body: 'Halo' })
  expect([status, json.code]).toEqual([409, 'number_not_connected'])
  expect(json.detail).toContain('no business number yet')
  for (const step of ['console under Settings', 'npx nexkit number create']) expect(json.detail).toContain(step)
})

test('an order is refused with how to set up a payment account when there is none', async () => {
  const { status, json } = await post('/orders', { billingType: 'qris', amount: 10_000 })
  expect([status, json.code]).toEqual([409, 'payment_method_not_configured'])
  expect(json.detail).toContain('no payment account yet')
  for (const step of ['console under Settings', 'npx nexkit payment-account create'])
    expect(json.detail).toContain(step)
})
