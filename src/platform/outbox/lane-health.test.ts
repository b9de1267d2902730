import { describe, expect, test } from 'bun:test'
import { type Answer, applyAnswer, type LaneCondition, type LaneGuards, readMemory, slotsOf } from './lane-health.ts'

const guards: LaneGuards = { concurrencyMax: 8, isAdaptive: true, hasBreaker: true }
const fresh: LaneCondition = {
  breaker: 'closed',
  concurrency: 2,
  blockedUntil: null,
  blockedReason: null,
  memory: readMemory({}),
}
const T0 = Date.UTC(2040, 0, 1)
const up = (ms = 0): Answer => ({ verdict: 'up', isOverload: false, claimedAt: new Date(T0 + ms) })
const down = (ms = 0, isOverload = false): Answer => ({ verdict: 'down', isOverload, claimedAt: new Date(T0 + ms) })

const after = (start: LaneCondition, answers: Answer[], ms = 0) =>
  answers.reduce((condition, answer) => applyAnswer(condition, answer, { guards, now: new Date(T0 + ms) }), start)

const repeat = (answer: Answer, times: number) => Array.from({ length: times }, () => answer)

describe('breaker', () => {
  test('opens at the fifth failure in a row and not before', () => {
    expect(after(fresh, repeat(down(), 4)).breaker).toBe('closed')
    expect(after(fresh, [...repeat(down(), 4), up(), ...repeat(down(), 4)]).breaker).toBe('closed')
    const opened = after(fresh, repeat(down(), 5))
    expect(opened.breaker).toBe('open')
    expect(opened.blockedUntil).toEqual(new Date(T0 + 30_000))
    expect(slotsOf(opened)).toBe(1)
  })

  test('opens when half of at least twenty within two minutes failed', () => {
    const mixed = [up(), down()]
    const nineteen = [...Array.from({ length: 9 }, () => mixed).flat(), up()]
    expect(after(fresh, nineteen).breaker).toBe('closed')
    expect(after(fresh, [...nineteen, down()]).breaker).toBe('open')
    const longAgo = after(fresh, nineteen)
    expect(after(longAgo, [down()], 180_000).breaker).toBe('closed')
  })

  test('waits longer before each probe that follows a failed one, up to ten minutes', () => {
    let condition = after(fresh, repeat(down(), 5))
    const waits: number[] = []
    for (let probe = 0; probe < 7; probe++) {
      waits.push(((condition.blockedUntil as Date).getTime() - T0) / 1_000)
      condition = after({ ...condition, breaker: 'half_open', blockedUntil: null }, [down()])
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 600, 600])
  })

  test('closes after two probes that succeed, and starts small', () => {
    const opened = after({ ...fresh, concurrency: 8 }, repeat(down(), 5))
    const once = after({ ...opened, breaker: 'half_open' }, [up()])
    expect(once.breaker).toBe('half_open')
    const twice = after(once, [up()])
    expect([twice.breaker, twice.concurrency]).toEqual(['closed', 2])
    expect(after(twice, [down()]).breaker).toBe('closed')
  })

  test('ignores answers to attempts from before it opened', () => {
    const opened = after(fresh, repeat(down(), 5))
    expect(after(opened, [up(), up(), up()]).breaker).toBe('open')
    expect(after(opened, [down()]).blockedUntil).toEqual(opened.blockedUntil)
  })

  test('takes a refusal of one item as no news about the other side', () => {
    const neutral: Answer = { verdict: 'neutral', isOverload: false, claimedAt: new Date(T0) }
    const condition = after(fresh, repeat(neutral, 50))
    expect([condition.breaker, condition.concurrency]).toEqual(['closed', 2])
  })

  test('remembers since when there were only failures, and forgets it at a success', () => {
    const failing = after(after(fresh, [down()]), [down()], 5_000)
    expect([failing.memory.failingSinceMs, failing.memory.failuresSinceSuccess]).toEqual([T0, 2])
    const well = after(failing, [up()], 6_000)
    expect([well.memory.failingSinceMs, well.memory.failuresSinceSuccess]).toEqual([null, 0])
    expect(well.memory.lastSuccessMs).toBe(T0 + 6_000)
  })
})

describe('concurrency', () => {
  test('rises by one after as many successes as its current value, up to the cap', () => {
    expect(after(fresh, repeat(up(), 2)).concurrency).toBe(3)
    expect(after(fresh, repeat(up(), 4)).concurrency).toBe(3)
    expect(after(fresh, repeat(up(), 5)).concurrency).toBe(4)
    expect(after(fresh, repeat(up(), 500)).concurrency).toBe(8)
  })

  test('is halved by overload, once for all that ran at the same time', () => {
    const wide = { ...fresh, concurrency: 8 }
    const halved = after(wide, [down(0, true), down(0, true), down(0, true)], 1_000)
    expect(halved.concurrency).toBe(4)
    expect(after(halved, [down(2_000, true)], 3_000).concurrency).toBe(2)
  })

  test('never falls below one, and a plain failure leaves it alone', () => {
    expect(after({ ...fresh, concurrency: 1 }, [down(5, true)], 10).concurrency).toBe(1)
    expect(after({ ...fresh, concurrency: 6 }, [down()]).concurrency).toBe(6)
  })
})
