import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { useTestDatabase } from '../../../test/support/database.ts'
import { jsonList, momentList, textList, unsizedList } from './plain-lists.ts'

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

test('a plan is kept when the length of a list is hidden, and created anew at each call when it is not', async () => {
  const plans = await db.database.transaction(async (tx) => {
    await tx.script('create temporary table looked_up (id int primary key, name text) on commit drop')
    await tx.run`insert into looked_up select n, 'name ' || n from generate_series(1, 10000) as n`
    await tx.script('analyze looked_up')
    const look = (mark: unknown, list: unknown) => tx.many<{ name: string }>`
      select found.name ${mark} from unnest(${list}) as wanted (id)
      cross join lateral (select name from looked_up where looked_up.id = wanted.id offset 0) found`
    for (let id = 1; id <= 12; id++) {
      const list = tx.part`${[id]}::int[]`
      expect(await look(tx.part`as sized`, list)).toEqual([{ sized: `name ${id}` }] as never)
      expect(await look(tx.part`as unsized`, unsizedList(tx, list))).toEqual([{ unsized: `name ${id}` }] as never)
    }
    const kept = (mark: string) => tx.one<{ is_kept: boolean }>`
      select generic_plans > 0 as is_kept from pg_prepared_statements where statement like ${`%as ${mark}%`}`
    return [await kept('sized'), await kept('unsized')]
  })
  expect(plans).toEqual([{ is_kept: false }, { is_kept: true }])
})
