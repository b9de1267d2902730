import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { z } from 'zod'
import { compileShape } from './reply-shape.ts'

const Thing = z.object({
  object: z.literal('thing'),
  id: z.string().regex(/^thg_/),
  state: z.enum(['on', 'off']),
  count: z.int().min(0).nullable(),
  isOpen: z.boolean().optional(),
  parts: z.array(z.object({ name: z.string().max(5) })),
  labels: z.record(z.string(), z.string()),
  price: z.union([z.number(), z.strictObject({ percent: z.number() })]),
})

const thing = {
  object: 'thing',
  id: 'thg_1',
  state: 'on',
  count: 2,
  parts: [{ name: 'a' }],
  labels: { colour: 'red' },
  price: { percent: 3 },
}

const isThing = compileShape(Thing) as (value: unknown) => boolean

describe('a value is of the shape', () => {
  test('when it has every member, of its type, and no other', () => {
    expect(isThing(thing)).toBe(true)
    expect(isThing({ ...thing, count: null, isOpen: true, parts: [], labels: {}, price: 4 })).toBe(true)
  })

  test('not when it has a member that the schema does not name, however deep', () => {
    expect(isThing({ ...thing, secret: 'x' })).toBe(false)
    expect(isThing({ ...thing, parts: [{ name: 'a', secret: 'x' }] })).toBe(false)
    expect(isThing({ ...thing, price: { percent: 3, secret: 'x' } })).toBe(false)
  })

  test('not when a member is missing or of another type', () => {
    const { id: _, ...nameless } = thing
    const others = [
      nameless,
      { ...thing, state: 'broken' },
      { ...thing, count: Number.NaN },
      { ...thing, count: '2' },
      { ...thing, isOpen: null },
      { ...thing, parts: {} },
      { ...thing, labels: { colour: 1 } },
      { ...thing, labels: new Date() },
      { ...thing, object: 'other' },
      null,
      [],
    ]
    expect(others.map(isThing)).toEqual(others.map(() => false))
  })

  test('whatever else it has, where the schema lets others in; but with what the schema names', () => {
    const isOpen = compileShape(z.looseObject({ a: z.string(), more: z.unknown() })) as (value: unknown) => boolean
    expect(isOpen({ a: 'x', more: [1], b: { c: null } })).toBe(true)
    expect(isOpen({ a: 'x' })).toBe(true)
    expect(isOpen({ a: 1, b: 2 })).toBe(false)
    expect(isOpen(new Date())).toBe(false)
  })

  test('whatever comes: what has the shape is rendered as the schema would render it', () => {
    const loose = z.object({ a: z.string(), b: z.number().nullable(), c: z.array(z.boolean()).optional() })
    const hasShape = compileShape(loose) as (value: unknown) => boolean
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.jsonValue()), (given) => {
        const value = { ...given }
        const parsed = loose.safeParse(value)
        if (hasShape(value)) expect(parsed.data).toEqual(value as never)
        else expect(parsed.success && Object.keys(value).every((name) => name !== 'd')).toBe(false)
      }),
      { numRuns: 500 },
    )
  })
})

describe('only parsing decides', () => {
  test('where it changes values, fills them in or has rules for others', () => {
    const schemas = [
      z.string().trim(),
      z.string().default('x'),
      z.string().transform(Number),
      z.coerce.number(),
      z.string().check((check) => {
        check.value = 'another'
      }),
      z.object({ a: z.string() }).catchall(z.number()),
      z.object({ a: z.object({ b: z.string().toLowerCase() }) }),
    ]
    expect(schemas.map((schema) => compileShape(schema))).toEqual(schemas.map(() => null))
  })
})
