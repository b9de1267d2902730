import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { useTestDatabase } from '../../../test/support/database.ts'
import { jsonList } from './json-list.ts'

const db = useTestDatabase()

const readBack = async (values: unknown[]) =>
  (
    await db.database.many<{ value: unknown }>`
      select value::jsonb as value from unnest(${jsonList(db.database, values, (value) => value)}) with ordinality as list(value, position)
      order by position`
  ).map(({ value }) => value)

test('values come back as they were, in their order, with null as null', async () => {
  const values = [{ name: 'Kopi "susu"' }, null, [], { note: 'a\\b\u0001\u0002\n{},é😀' }, { empty: '' }]
  expect(await readBack(values)).toEqual(values)
  expect(await readBack([])).toEqual([])
})

test('whatever text they hold', async () => {
  const text = fc.string({ unit: 'grapheme' }).map((given) => given.replaceAll('\u0000', ''))
  const values = fc.array(fc.option(fc.dictionary(text, text), { nil: null }), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(values, async (given) =>
      expect(await readBack(given)).toEqual(given.map((one) => one && { ...one })),
    ),
    { numRuns: 100 },
  )
})
