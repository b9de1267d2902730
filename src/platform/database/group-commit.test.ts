import { describe, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { until } from '../../../test/support/until.ts'
import { ProblemError } from '../../kernel/errors.ts'
import { createGroupCommit, type GroupCommit, type Outcome } from './group-commit.ts'

const serverSays = (code: string) => Object.assign(new Error(`the server says ${code}`), { code })
const stored = <Value>(value: Value): Outcome<Value> => ({ ok: true, value })
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** A writer whose batches end when the test says so. */
function gatedWriter() {
  const batches: { items: number[]; finish: () => void; fail: (error: unknown) => void }[] = []
  const write = (items: number[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome<number>[]>()
    batches.push({ items, finish: () => resolve(items.map((item) => stored(item * 10))), fail: reject })
    return promise
  }
  return { batches, write }
}

describe('collecting', () => {
  test('a lone item is written at once, however long others may wait for company', async () => {
    const engine = createGroupCommit({
      name: 'test',
      waitMsMax: 60_000,
      write: async (items: number[]) => items.map(stored),
    })
    expect(await engine.submit(7)).toBe(7)
  })

  test('items that come together are written together, each caller getting its own result', async () => {
    const { batches, write } = gatedWriter()
    const engine = createGroupCommit({ name: 'test', write })
    const results = [1, 2, 3].map((item) => engine.submit(item))
    await until(() => batches.length === 1)
    batches[0]?.finish()
    expect(await Promise.all(results)).toEqual([10, 20, 30])
    expect(batches.map((batch) => batch.items)).toEqual([[1, 2, 3]])
  })

  test('while a batch is written the next one grows, and leaves when the first is done', async () => {
    const { batches, write } = gatedWriter()
    const engine = createGroupCommit({ name: 'test', write, waitMsMax: 60_000 })
    const results = [engine.submit(1)]
    await until(() => batches.length === 1)
    for (const item of [2, 3]) {
      results.push(engine.submit(item))
      await nextTurn()
    }
    expect(batches.length).toBe(1)
    batches[0]?.finish()
    await until(() => batches.length === 2)
    expect(batches[1]?.items).toEqual([2, 3])
    batches[1]?.finish()
    expect(await Promise.all(results)).toEqual([10, 20, 30])
  })

  test('a full batch does not wait for the one before it', async () => {
    const { batches, write } = gatedWriter()
    const engine = createGroupCommit({ name: 'test', write, waitMsMax: 60_000, batchItemsMax: 2 })
    const results = [1, 2, 3, 4].map((item) => engine.submit(item))
    await until(() => batches.length === 2)
    expect(batches.map((batch) => batch.items)).toEqual([
      [1, 2],
      [3, 4],
    ])
    for (const batch of batches) batch.finish()
    await Promise.all(results)
  })

  test('an item waits for others no longer than its maximum wait', async () => {
    const { batches, write } = gatedWriter()
    const engine = createGroupCommit({ name: 'test', write, waitMsMax: 5 })
    const results = [engine.submit(1)]
    await until(() => batches.length === 1)
    results.push(engine.submit(2))
    await until(() => batches.length === 2)
    for (const batch of batches) batch.finish()
    expect(await Promise.all(results)).toEqual([10, 20])
  })

  test('a batch much smaller than what is being written waits for company, and leaves as soon as it has some', async () => {
    const { batches, write } = gatedWriter()
    const engine = createGroupCommit({ name: 'test', write, waitMsMax: 50 })
    const results = [1, 2, 3, 4, 5, 6].map((item) => engine.submit(item))
    await until(() => batches.length === 1)
    results.push(engine.submit(7))
    // Longer than a batch of the usual size would wait, shorter than this one does.
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(batches.length).toBe(1)
    results.push(engine.submit(8), engine.submit(9))
    await until(() => batches.length === 2)
    expect(batches[1]?.items).toEqual([7, 8, 9])
    for (const batch of batches) batch.finish()
    await Promise.all(results)
  })

  test('a small batch leaves at once when what was being written is done', async () => {
    const { batches, write } = gatedWriter()
    const engine = createGroupCommit({ name: 'test', write, waitMsMax: 60_000 })
    const results = [1, 2, 3, 4, 5, 6].map((item) => engine.submit(item))
    await until(() => batches.length === 1)
    results.push(engine.submit(7))
    await nextTurn()
    batches[0]?.finish()
    await until(() => batches.length === 2)
    batches[1]?.finish()
    expect((await Promise.all(results)).at(-1)).toBe(70)
  })

  test('no more batches are in flight than allowed, however long an item has waited', async () => {
    const { batches, write } = gatedWriter()
    const engine = createGroupCommit({ name: 'test', write, waitMsMax: 1, batchesInFlightMax: 2 })
    const results = [engine.submit(1)]
    await until(() => batches.length === 1)
    results.push(engine.submit(2))
    await until(() => batches.length === 2)
    results.push(engine.submit(3))
    // A timer set after the engine's own, and for longer, rings after it.
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(batches.length).toBe(2)
    batches[1]?.finish()
    await until(() => batches.length === 3)
    for (const batch of batches) batch.finish()
    expect(await Promise.all(results)).toEqual([10, 20, 30])
  })

  test('a key in a batch being written holds back later items of that key and no others', async () => {
    const { batches, write } = gatedWriter()
    const engine = createGroupCommit({ name: 'test', write, waitMsMax: 0, keyOf: (item) => String(item % 2) })
    const results = [engine.submit(1)]
    await until(() => batches.length === 1)
    results.push(engine.submit(3), engine.submit(2))
    await until(() => batches.length === 2)
    expect(batches[1]?.items).toEqual([2])
    batches[0]?.finish()
    await until(() => batches.length === 3)
    expect(batches[2]?.items).toEqual([3])
    for (const batch of batches) batch.finish()
    await Promise.all(results)
  })
})

describe('refusing', () => {
  test('an item beyond the queue is refused as server_busy with Retry-After, and accepted once there is room', async () => {
    const { batches, write } = gatedWriter()
    const engine = createGroupCommit({ name: 'test', write, queueItemsMax: 2, batchesInFlightMax: 1 })
    const results = [engine.submit(1)]
    await until(() => batches.length === 1)
    results.push(engine.submit(2), engine.submit(3))
    const refusal = await engine.submit(4).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ProblemError)
    expect(refusal).toMatchObject({ code: 'server_busy', status: 503, options: { headers: { 'Retry-After': '1' } } })
    batches[0]?.finish()
    await until(() => batches.length === 2)
    results.push(engine.submit(5))
    batches[1]?.finish()
    await until(() => batches.length === 3)
    batches[2]?.finish()
    expect(await Promise.all(results)).toEqual([10, 20, 30, 50])
    expect(engine.stats()).toMatchObject({ itemsRefused: 1, itemsWritten: 4, itemsWaiting: 0 })
  })
})

describe('draining', () => {
  test('drain writes what waits without waiting for company, ends after the last item and refuses new ones', async () => {
    const { batches, write } = gatedWriter()
    const engine = createGroupCommit({ name: 'test', write, waitMsMax: 60_000 })
    const settled: number[] = []
    const submit = (item: number) => engine.submit(item).then((result) => settled.push(result))
    void submit(1)
    await until(() => batches.length === 1)
    void submit(2)
    let isDrained = false
    const drained = engine.drain().then(() => {
      isDrained = true
    })
    await expect(engine.submit(3)).rejects.toMatchObject({ code: 'server_busy' })
    await until(() => batches.length === 2)
    batches[1]?.finish()
    await nextTurn()
    expect(isDrained).toBe(false)
    batches[0]?.finish()
    await drained
    expect(settled.toSorted()).toEqual([10, 20])
    await engine.drain()
  })

  test('an engine leaves no timer behind when it was used and drained, so its process ends', async () => {
    const engineUrl = new URL('./group-commit.ts', import.meta.url)
    const program = `
      import { createGroupCommit } from ${JSON.stringify(fileURLToPath(engineUrl))}
      const first = Promise.withResolvers()
      const write = async (items) => { await first.promise; return items.map((value) => ({ ok: true, value })) }
      const engine = createGroupCommit({ name: 'test', write, waitMsMax: 60_000 })
      const results = [engine.submit(1)]
      while (engine.stats().batchesInFlight === 0) await new Promise(setImmediate)
      results.push(engine.submit(2))
      first.resolve()
      await Promise.all(results)
      await engine.drain()`
    const child = spawn(process.execPath, ['-e', program], { stdio: 'inherit', timeout: 8_000 })
    const [code, signal] = await new Promise<unknown[]>((resolve) => child.on('exit', (...end) => resolve(end)))
    expect([code, signal]).toEqual([0, null])
  })
})

describe('failing', () => {
  const run = (engine: GroupCommit<number, number>, items: number[]) =>
    Promise.allSettled(items.map((item) => engine.submit(item)))
  const statuses = (settled: PromiseSettledResult<number>[]) => settled.map((result) => result.status)

  test('a refusal the writer answers for one item reaches only that caller', async () => {
    const refusal = new Error('not this one')
    const engine = createGroupCommit<number, number>({
      name: 'test',
      write: async (items) => items.map((item) => (item === 2 ? { ok: false, error: refusal } : stored(item))),
    })
    expect(await run(engine, [1, 2, 3])).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: refusal },
      { status: 'fulfilled', value: 3 },
    ])
  })

  test('a batch undone by a serialization failure is written again as it was', async () => {
    const batches: number[][] = []
    const engine = createGroupCommit<number, number>({
      name: 'test',
      write: async (items) => {
        batches.push(items)
        if (batches.length === 1) throw serverSays('40001')
        return items.map(stored)
      },
    })
    expect(statuses(await run(engine, [1, 2]))).toEqual(['fulfilled', 'fulfilled'])
    expect(batches).toEqual([
      [1, 2],
      [1, 2],
    ])
  })

  for (const [code, what] of [
    ['CONNECTION_CLOSED', 'the connection breaks'],
    ['57P01', 'the server ends the connection'],
    ['08007', 'the outcome of the commit is unknown'],
    [undefined, 'the writer itself throws'],
  ] as const) {
    test(`when ${what} and the write is not repeatable, it is not repeated and every caller learns of it`, async () => {
      let writes = 0
      const failure = Object.assign(new Error('lost'), { code })
      const engine = createGroupCommit<number, number>({
        name: 'test',
        write: async () => {
          writes += 1
          throw failure
        },
      })
      const lost = { status: 'rejected' as const, reason: failure }
      expect(await run(engine, [1, 2])).toEqual([lost, lost])
      expect(writes).toBe(1)
    })
  }

  test('a database without capacity is not asked again: no search for a culprit, no repetition', async () => {
    let writes = 0
    const engine = createGroupCommit<number, number>({
      name: 'test',
      repeatable: true,
      write: async () => {
        writes += 1
        throw serverSays('53100')
      },
    })
    expect(statuses(await run(engine, [1, 2, 3, 4]))).toEqual(Array(4).fill('rejected'))
    expect(writes).toBe(1)
  })

  test('a connection that stays broken is given up in the end, and the engine works when it is back', async () => {
    let isBroken = true
    const engine = createGroupCommit<number, number>({
      name: 'test',
      repeatable: true,
      write: async (items) => {
        if (isBroken) throw serverSays('ECONNREFUSED')
        return items.map(stored)
      },
    })
    expect(statuses(await run(engine, [1, 2]))).toEqual(['rejected', 'rejected'])
    isBroken = false
    expect(await engine.submit(3)).toBe(3)
  })

  test('a writer that answers with too few outcomes fails its callers instead of mixing them up', async () => {
    const engine = createGroupCommit<number, number>({
      name: 'test',
      write: async (items) => items.slice(1).map(stored),
    })
    expect(statuses(await run(engine, [1, 2]))).toEqual(['rejected', 'rejected'])
  })
})

describe('whatever comes', () => {
  type Item = { number: number; key: number; kind: 'good' | 'refused' | 'poison' }
  type Fault = 'none' | 'collides' | 'lost before' | 'lost after'

  /** A database in memory that undoes a batch holding a poisoned item, and checks what the engine promises its writer. */
  function modelDatabase(
    limits: { batchItemsMax: number; batchesInFlightMax: number },
    faults: Fault[],
    turns: number[],
  ) {
    const rows = new Map<number, Item>()
    const keysInFlight = new Set<number>()
    const brokenPromises: string[] = []
    let batchesInFlight = 0
    let writes = 0
    async function write(items: Item[]): Promise<Outcome<number>[]> {
      const call = writes++
      const keys = new Set(items.map((item) => item.key))
      if ([...keys].some((key) => keysInFlight.has(key))) brokenPromises.push('a key is in two batches at once')
      for (const key of keys) keysInFlight.add(key)
      batchesInFlight += 1
      if (batchesInFlight > limits.batchesInFlightMax) brokenPromises.push('too many batches in flight')
      if (items.length > limits.batchItemsMax) brokenPromises.push('too many items in a batch')
      for (let turn = 0; turn < (turns[call % turns.length] ?? 0); turn++) await nextTurn()
      batchesInFlight -= 1
      for (const key of keys) keysInFlight.delete(key)
      return commit(items, faults[call] ?? 'none')
    }
    function commit(items: Item[], fault: Fault): Outcome<number>[] {
      if (fault === 'collides') throw serverSays('40P01')
      if (fault === 'lost before') throw serverSays('CONNECTION_CLOSED')
      if (items.some((item) => item.kind === 'poison')) throw serverSays('23514')
      for (const item of items) if (item.kind === 'good' && !rows.has(item.number)) rows.set(item.number, item)
      if (fault === 'lost after') throw serverSays('CONNECTION_CLOSED')
      return items.map((item) => (item.kind === 'good' ? stored(item.number) : { ok: false, error: 'refused' }))
    }
    return { rows, brokenPromises, write }
  }

  const kinds = fc.oneof(
    { arbitrary: fc.constant<Item['kind']>('good'), weight: 8 },
    { arbitrary: fc.constantFrom<Item['kind']>('refused', 'poison'), weight: 2 },
  )
  type Plan = {
    waves: Omit<Item, 'number'>[][]
    batchItemsMax: number
    batchesInFlightMax: number
    waitMsMax: number
    turns: number[]
  }
  const scenario: fc.Arbitrary<Plan> = fc.record({
    waves: fc.array(fc.array(fc.record({ key: fc.nat(4), kind: kinds }), { maxLength: 12 }), { maxLength: 6 }),
    batchItemsMax: fc.integer({ min: 1, max: 10 }),
    batchesInFlightMax: fc.integer({ min: 1, max: 3 }),
    waitMsMax: fc.constantFrom(0, 1),
    turns: fc.array(fc.nat(3), { minLength: 1, maxLength: 5 }),
  })
  const faults = fc.array(fc.constantFrom<Fault>('none', 'none', 'collides', 'lost before', 'lost after'), {
    maxLength: 4,
  })

  async function holds({ waves, turns, ...limits }: Plan, faults: Fault[]) {
    const database = modelDatabase(limits, faults, turns)
    const keyOf = (item: Item) => String(item.key)
    const engine = createGroupCommit({ name: 'test', ...limits, keyOf, repeatable: true, write: database.write })
    const items: Item[] = []
    const results: Promise<PromiseSettledResult<number>[]>[] = []
    for (const wave of waves) {
      const numbered = wave.map((item, index) => ({ ...item, number: items.length + index }))
      items.push(...numbered)
      results.push(Promise.allSettled(numbered.map((item) => engine.submit(item))))
      await nextTurn()
    }
    await engine.drain()
    const settled = (await Promise.all(results)).flat()
    settled.forEach((result, index) => {
      const item = items[index] as Item
      if (item.kind === 'good') expect(result).toEqual({ status: 'fulfilled', value: item.number })
      else if (item.kind === 'refused') expect(result).toEqual({ status: 'rejected', reason: 'refused' })
      else expect(result).toMatchObject({ status: 'rejected', reason: { code: '23514' } })
    })
    const good = items.filter((item) => item.kind === 'good')
    expect(database.brokenPromises).toEqual([])
    expect(database.rows.size).toBe(good.length)
    for (const key of new Set(good.map((item) => item.key))) {
      const ofKey = (all: Iterable<Item>) => [...all].filter((item) => item.key === key).map((item) => item.number)
      expect(ofKey(database.rows.values())).toEqual(ofKey(good))
    }
    expect(engine.stats()).toMatchObject({ itemsWaiting: 0, batchesInFlight: 0, itemsWritten: good.length })
  }

  test('every caller gets the outcome of its item, limits are kept, and keys stay in order', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, (plan) => holds(plan, [])),
      { numRuns: 200 },
    )
  })

  test('the same holds when batches collide and connections break before or after the commit', async () => {
    await fc.assert(fc.asyncProperty(scenario, faults, holds), { numRuns: 40 })
  })
})
