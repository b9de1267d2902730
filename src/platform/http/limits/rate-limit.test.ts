import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fixedClock } from '../../../kernel/clock.ts'
import { createRateLimiter, type RateLimiter, type RateLimitPolicy, rateLimitHeaders } from './rate-limit.ts'

const START_MS = Date.UTC(2026, 10, 14)
const perSecond: RateLimitPolicy = { name: 'key', quota: 100, windowSeconds: 1, burst: 200 }
const perMinute: RateLimitPolicy = { name: 'send', quota: 60, windowSeconds: 60, burst: 60 }

const anyPolicy: fc.Arbitrary<RateLimitPolicy> = fc.record({
  name: fc.constant('key'),
  quota: fc.integer({ min: 1, max: 20_000 }),
  windowSeconds: fc.constantFrom(1, 7, 60, 3_600),
  burst: fc.integer({ min: 1, max: 300 }),
})

function limiterAt(options: { entriesMax?: number; random?: () => number } = {}) {
  const clock = fixedClock(START_MS)
  return { clock, limiter: createRateLimiter({ clock, entriesMax: 1_000, ...options }) }
}

/** Calls until one is refused, and says how many passed; bounded, so that a limiter that never refuses fails at once. */
function drain(limiter: RateLimiter, policy: RateLimitPolicy) {
  for (let passed = 0; passed <= 2 * policy.burst; passed++) {
    const result = limiter.check('k', policy)
    if (!result.allowed) return { passed, refusal: result }
  }
  throw new Error('the limiter refuses nothing')
}

describe('what passes', () => {
  test('is never more than the burst plus the rate times the time', () => {
    const steps = fc.array(fc.record({ waitMs: fc.nat({ max: 3_000 }), calls: fc.nat({ max: 400 }) }), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(anyPolicy, steps, (policy, plan) => {
        const { clock, limiter } = limiterAt()
        let passed = 0
        for (const { waitMs, calls } of plan) {
          clock.advance(waitMs)
          for (let call = 0; call < calls; call++) if (limiter.check('k', policy).allowed) passed += 1
          const elapsedMs = clock.now() - START_MS
          const ceiling = policy.burst + (policy.quota * elapsedMs) / (policy.windowSeconds * 1_000)
          expect(passed).toBeLessThanOrEqual(ceiling + 0.001)
        }
      }),
      { numRuns: 200 },
    )
  })

  test('is exactly the burst at once, then exactly the rate', () => {
    fc.assert(
      fc.property(anyPolicy, (policy) => {
        const { clock, limiter } = limiterAt()
        const passing = (calls: number) => {
          let passed = 0
          for (let call = 0; call < calls; call++) if (limiter.check('k', policy).allowed) passed += 1
          return passed
        }
        expect(passing(policy.burst + 5)).toBe(policy.burst)
        const intervalMs = (policy.windowSeconds * 1_000) / policy.quota
        const units = Math.min(policy.burst, 3)
        clock.advance(Math.ceil(units * intervalMs))
        expect(passing(units)).toBe(units)
      }),
      { numRuns: 200 },
    )
  })

  test('is counted apart for each partition and each policy', () => {
    const { limiter } = limiterAt()
    const once = { name: 'once', quota: 1, windowSeconds: 60, burst: 1 }
    expect(limiter.check('a', once).allowed).toBe(true)
    expect(limiter.check('a', once).allowed).toBe(false)
    expect(limiter.check('b', once).allowed).toBe(true)
    expect(limiter.check('a', { ...once, name: 'other' }).allowed).toBe(true)
  })

  test('spends as many units as the call costs, at most the whole burst', () => {
    const { limiter } = limiterAt()
    expect(limiter.check('k', perMinute, 59)).toMatchObject({ allowed: true, remaining: 1 })
    expect(limiter.check('k', perMinute, 2)).toMatchObject({ allowed: false, remaining: 1, retryAfterSeconds: 1 })
    expect(limiter.check('fresh', perMinute, 1_000)).toMatchObject({ allowed: true, remaining: 0 })
  })
})

describe('the answer to the caller', () => {
  test('a call after Retry-After passes, and one a second earlier does not', () => {
    fc.assert(
      fc.property(
        anyPolicy,
        fc.nat({ max: 5_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (policy, waitMs, luck) => {
          const { clock, limiter } = limiterAt({ random: () => luck })
          drain(limiter, policy)
          clock.advance(waitMs)
          const result = drain(limiter, policy).refusal
          expect(result.retryAfterSeconds).toBeGreaterThanOrEqual(Math.max(1, result.resetSeconds))
          const withoutSpread =
            result.retryAfterSeconds > 10 ? result.retryAfterSeconds / 1.1 : result.retryAfterSeconds
          clock.advance((Math.floor(withoutSpread) - 1) * 1_000)
          if (result.retryAfterSeconds > 1) expect(limiter.check('k', policy).allowed).toBe(false)
          clock.set(clock.now() + (result.retryAfterSeconds - Math.floor(withoutSpread) + 1) * 1_000)
          expect(limiter.check('k', policy).allowed).toBe(true)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('as many calls as remain do pass, and after the reset there is one more', () => {
    fc.assert(
      fc.property(anyPolicy, fc.nat({ max: 300 }), fc.nat({ max: 2_000 }), (policy, calls, waitMs) => {
        const { clock, limiter } = limiterAt()
        for (let call = 0; call < calls; call++) limiter.check('k', policy)
        clock.advance(waitMs)
        const { remaining, resetSeconds } = limiter.check('k', policy)
        expect(remaining).toBeLessThan(policy.burst)
        clock.advance(resetSeconds * 1_000)
        expect(drain(limiter, policy).passed).toBeGreaterThan(remaining)
      }),
      { numRuns: 200 },
    )
    const { limiter } = limiterAt()
    expect(limiter.check('k', perMinute)).toEqual({
      allowed: true,
      remaining: 59,
      resetSeconds: 1,
      retryAfterSeconds: 0,
    })
  })

  test('long waits are spread by at most a tenth', () => {
    const hourly = { name: 'key', quota: 1, windowSeconds: 3_600, burst: 1 }
    const waits = [0, 0.5, 0.999].map((luck) => {
      const { limiter } = limiterAt({ random: () => luck })
      limiter.check('k', hourly)
      return limiter.check('k', hourly).retryAfterSeconds
    })
    expect(waits).toEqual([3_600, 3_780, 3_959])
  })

  test('the headers are structured fields of whole numbers', () => {
    const { limiter } = limiterAt()
    expect(rateLimitHeaders(perSecond, limiter.check('k', perSecond))).toEqual({
      'RateLimit-Policy': '"key";q=100;w=1;nx-burst=200',
      RateLimit: '"key";r=199;t=1',
    })
    expect(rateLimitHeaders(perMinute, limiter.check('k', perMinute))['RateLimit-Policy']).toBe('"send";q=60;w=60')
    const item = /^"[ !#-[\]-~]*"(?:; *[a-z*][a-z0-9_.*-]*=-?[0-9]{1,15})*$/
    fc.assert(
      fc.property(anyPolicy, fc.nat({ max: 400 }), fc.nat({ max: 100_000 }), (policy, calls, waitMs) => {
        const fresh = limiterAt()
        for (let call = 0; call < calls; call++) fresh.limiter.check('k', policy)
        fresh.clock.advance(waitMs)
        const headers = rateLimitHeaders(policy, fresh.limiter.check('k', policy))
        expect(headers['RateLimit-Policy']).toMatch(item)
        expect(headers.RateLimit).toMatch(item)
      }),
    )
  })
})

describe('a refund', () => {
  test('returns one unit, and never more than was taken', () => {
    const { limiter } = limiterAt()
    limiter.check('k', perMinute)
    limiter.check('k', perMinute)
    limiter.refund('k', perMinute)
    expect(limiter.check('k', perMinute).remaining).toBe(58)
    for (let time = 0; time < 100; time++) limiter.refund('k', perMinute)
    expect(limiter.check('k', perMinute).remaining).toBe(59)
  })
})

describe('a share', () => {
  test('divides rate and burst among the processes', () => {
    const { clock, limiter } = limiterAt()
    limiter.setShare(0.25)
    expect(drain(limiter, perSecond).passed).toBe(50)
    clock.advance(1_000)
    expect(drain(limiter, perSecond).passed).toBe(25)
  })

  test('outside (0, 1] is refused', () => {
    const { limiter } = limiterAt()
    for (const fraction of [0, -1, 1.5, Number.NaN]) expect(() => limiter.setShare(fraction)).toThrow(RangeError)
  })
})

describe('memory and clocks', () => {
  test('a partition keeps its debt when partitions without debt are swept', () => {
    const { clock, limiter } = limiterAt({ entriesMax: 1_000 })
    const slow = { name: 'key', quota: 1, windowSeconds: 3_600, burst: 3 }
    for (let call = 0; call < 3; call++) limiter.check('debtor', slow)
    const quick = { name: 'key', quota: 1_000, windowSeconds: 1, burst: 1 }
    for (let other = 0; other < 10_000; other++) {
      clock.advance(1)
      limiter.check(`other-${other}`, quick)
    }
    expect(limiter.entryCount()).toBeLessThan(10)
    expect(limiter.check('debtor', slow).allowed).toBe(false)
  })

  test('a crowd beyond the limit is let in by forgetting those with the least debt', () => {
    const { limiter } = limiterAt({ entriesMax: 100 })
    for (let call = 0; call < 60; call++) limiter.check('worst', perMinute)
    for (let other = 0; other < 5_000; other++) {
      expect(limiter.check(`other-${other}`, perMinute).allowed).toBe(true)
    }
    expect(limiter.check('worst', perMinute).allowed).toBe(false)
  })

  test('the table does not grow with the number of partitions ever seen', () => {
    const { limiter } = limiterAt({ entriesMax: 1_000 })
    const once = { name: 'key', quota: 1, windowSeconds: 60, burst: 1 }
    for (let other = 0; other < 20_000; other++) limiter.check(`s${other}`, once)
    expect(limiter.entryCount()).toBe(1_000)
  })

  test('a clock set back an hour locks no caller out for longer than a full burst takes', () => {
    const { clock, limiter } = limiterAt()
    limiter.check('k', perSecond)
    clock.advance(-3_600_000)
    expect(limiter.check('k', perSecond)).toMatchObject({ allowed: false, retryAfterSeconds: 1 })
    clock.advance(1_000)
    expect(limiter.check('k', perSecond).remaining).toBe(99)
  })
})
