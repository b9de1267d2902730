import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { useTestDatabase } from '../../../test/support/database.ts'
import { jsonList, momentList, textList } from './plain-lists.ts'

const db = useTestDatabase()

const readBack = async (values: unknown[]) =>
  (
    await db.database.many<{ value: unknown }>`
      select value::jsonb as value from unnest(${jsonList(db.database, values, (value) => value)}) with ordinality as list(value, position)
      order by position`
  ).map(({ value }) => value)

test('JSON values come back as they were, in their order, with null as null', async () => {
  const values = [{ name: 'Kopi "susu"' }, null, [], { note: 'a\\b\u0001\u0002\n{},é😀' }, { empty: '' }]
  expect(await readBack(values)).toEqual(values)
  expect(await readBack([])).toEqual([])
})

test('JSON values come back whatever text they hold', async () => {
  const text = fc.string({ unit: 'grapheme' }).map((given) => given.replaceAll('\u0000', ''))
  const values = fc.array(fc.option(fc.dictionary(text, text), { nil: null }), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(values, async (given) =>
      expect(await readBack(given)).toEqual(given.map((one) => one && { ...one })),
    ),
    { numRuns: 100 },
  )
})

test('texts and moments come back side by side, to the millisecond, and no texts as none', async () => {
  const [texts, moments] = [
    ['evt_1', '{"a":"b, \\"c\\" {}"}', 'é😀'],
    [0, 1_763_200_000_123, 253_402_300_799_999].map((ms) => new Date(ms)),
  ]
  const rows = await db.database.many<{ text: string; moment: Date }>`
    select text, to_timestamp(ms::float8 / 1000) as moment
    from unnest(${textList(db.database, texts)}, ${momentList(db.database, moments)}) as list(text, ms)`
  expect(rows.map(({ text, moment }) => [text, moment.getTime()])).toEqual(
    texts.map((text, index) => [text, (moments[index] as Date).getTime()]),
  )
  const none = await db.database.many`select text from unnest(${textList(db.database, [])}) as list(text)`
  expect(none).toEqual([])
})
