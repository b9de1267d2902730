import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { valueRows } from '../../../test/support/payment-tables.ts'
import { systemClock } from '../../kernel/clock.ts'
import { createPaymentProviders, paymentProviders } from './connectors.ts'

/** The rows of the table under that head. */
function tableUnder(page: string, head: string): string[] {
  const text = readFileSync(new URL(`../../../docs/concepts/${page}`, import.meta.url), 'utf8')
  const [, after = ''] = text.split(`${head}\n`)
  return after.split('\n\n')[0]?.split('\n').slice(1) ?? []
}

test('the page about the simulator lists every test value of the simulator', () => {
  expect(tableUnder('simulator.md', '| amount | what happens |')).toEqual(valueRows())
})

test('every provider has a distinct name, and fields that do not clash', () => {
  const parts = createPaymentProviders({ clock: systemClock })
  expect(new Set(paymentProviders).size).toBe(paymentProviders.length)
  for (const provider of paymentProviders) {
    const { name, fields } = parts[provider]
    expect(name).toBe(provider)
    expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length)
  }
  // One flag and one column for each name: secret in one provider is secret in all.
  const kinds = new Map<string, boolean>()
  for (const { name, isSecret } of Object.values(parts).flatMap(({ fields }) => fields)) {
    expect(kinds.get(name) ?? isSecret).toBe(isSecret)
    kinds.set(name, isSecret)
  }
})
