import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { orderStatesPage } from './order-states-page.ts'

test('the reference page of states matches the tables', () => {
  const page = readFileSync(new URL('../../../docs/reference/order-states.md', import.meta.url), 'utf8')
  expect(page).toBe(orderStatesPage())
})
