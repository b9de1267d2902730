import { expect, test } from 'bun:test'
import { Batches } from './batches.ts'

type Item = { key: string; nth: number }

/** Work that ends when the test says so. */
function aBench(options: { itemsMax?: number; batchesMax?: number } = {}) {
  const begun: { items: Item[]; end: (results?: string[] | Error) => void }[] = []
  const batches = new Batches<Item, string>({
    keyOf: ({ key }) => key,
    itemsMax: options.itemsMax ?? 10,
    batchesMax: options.batchesMax ?? 2,
    work: (items) =>
      new Promise((resolve, reject) => {
        const answers = items.map(({ key, nth }) => `${key}${nth}`)
        begun.push({ items, end: (given = answers) => (given instanceof Error ? reject(given) : resolve(given)) })
      }),
  })
  const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  const namesOf = () => begun.map(({ items }) => items.map(({ key, nth }) => `${key}${nth}`).join(' '))
  return { begun, turn, namesOf, submit: (key: string, nth: number) => batches.submit({ key, nth }) }
}

test('items of a key are worked on together and in their order when they come in one turn or during a batch', async () => {
  const { begun, turn, namesOf, submit } = aBench({ itemsMax: 3 })
  const first = [submit('a', 1), submit('a', 2)]
  await turn()
  const next = [3, 4, 5, 6].map((nth) => submit('a', nth))
  await turn()
  expect(namesOf()).toEqual(['a1 a2'])
  begun[0]?.end()
  expect(await Promise.all(first)).toEqual(['a1', 'a2'])
  await turn()
  expect(namesOf()).toEqual(['a1 a2', 'a3 a4 a5'])
  begun[1]?.end()
  await turn()
  begun[2]?.end()
  expect(await Promise.all(next)).toEqual(['a3', 'a4', 'a5', 'a6'])
})

test('a key that is held up delays no other key when fewer than the most batches run', async () => {
  const { begun, turn, namesOf, submit } = aBench({ batchesMax: 2 })
  void submit('stuck', 1)
  const others = [submit('b', 1), submit('c', 1)]
  await turn()
  expect(namesOf()).toEqual(['stuck1', 'b1'])
  begun[1]?.end()
  await turn()
  expect(namesOf()).toEqual(['stuck1', 'b1', 'c1'])
  begun[2]?.end()
  expect(await Promise.all(others)).toEqual(['b1', 'c1'])
})

test('the items of a batch get its error, and those of other keys do not, when the work throws', async () => {
  const { begun, turn, submit } = aBench()
  const [bad, good] = [submit('a', 1), submit('b', 1)]
  await turn()
  begun[0]?.end(new Error('no'))
  begun[1]?.end()
  expect(await bad.catch((error) => error.message)).toBe('no')
  expect(await good).toBe('b1')
  const again = submit('a', 2)
  await turn()
  begun[2]?.end([])
  expect(await again.catch((error) => error.message)).toBe('1 items got 0 answers')
})
