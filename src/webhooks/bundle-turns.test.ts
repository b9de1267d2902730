import { expect, test } from 'bun:test'
import { createBundleTurns } from './bundle-turns.ts'

const AT_ONCE = 16

/** Takes that many turns and tells, at any time, how many of them have begun. */
function takeTurns(turns: ReturnType<typeof createBundleTurns>, count: number) {
  const begun: (() => void)[] = []
  const all = Promise.all(Array.from({ length: count }, async () => begun.push(await turns.take())))
  return { begun, all }
}

test('a few begin at once, and each that ends lets the next begin', async () => {
  const { begun, all } = takeTurns(createBundleTurns(), AT_ONCE + 2)
  await Promise.resolve()
  await Promise.resolve()
  expect(begun).toHaveLength(AT_ONCE)
  begun[0]?.()
  begun[0]?.()
  await Promise.resolve()
  await Promise.resolve()
  expect(begun).toHaveLength(AT_ONCE + 1)
  begun[1]?.()
  await all
  for (const end of begun) end()
})

test('one that hangs holds up nobody for longer than its turn', async () => {
  const { begun, all } = takeTurns(createBundleTurns(), 3 * AT_ONCE)
  await all
  expect(begun).toHaveLength(3 * AT_ONCE)
})
