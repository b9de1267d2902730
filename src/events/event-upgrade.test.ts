import { beforeEach, expect, test } from 'bun:test'
import { z } from 'zod'
import '../boot/public-routes.ts'
import recorded from '../../test/fixtures/events-0.1.json'
import { newId } from '../kernel/ids.ts'
import { bodyShapeOf, defineEvent, findEventType } from './event-catalogue.ts'
import { currentBody, expectOlderEvents, upgradeEvent, whenAbsent } from './event-upgrade.ts'

// A worker of the tests lives longer than two versions run side by side.
beforeEach(() => expectOlderEvents())

/**
 * Bodies as version 0.1 recorded them: the example of every type, and what a trial start records. A member that is added to an
 * event must be one they can be given: nullable, a list, optional, or declared with `whenAbsent`.
 */
test.each(recorded.map((event) => [event.type, event.id, event] as const))(
  '%s %s as version 0.1 recorded it satisfies the published schema of today when it is delivered',
  (name, _, event) => {
    const type = findEventType(name)
    const result = type === null ? null : bodyShapeOf(type).safeParse(upgradeEvent(name, event))
    expect(result?.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []).toEqual([])
    expect(type).not.toBeNull()
  },
)

const grown = defineEvent({
  name: 'upgrade_leaf.grown',
  description: 'A leaf grew.',
  data: z.object({
    size: z.int(),
    colour: z.string().nullable(),
    veins: z.array(z.object({ length: z.int(), width: z.int().nullable() })),
    tree: z.object({ kind: z.string(), age: whenAbsent(z.int(), () => 7) }).optional(),
    half: whenAbsent(z.number(), ({ size }) => Number(size) / 2),
    note: z.string().optional(),
  }),
  example: { size: 2, colour: null, veins: [], half: 1 },
})

const stored = (data: object, atMs?: number) => {
  const id = newId('evt', atMs)
  const envelope = { ...(recorded[0] as object), id, type: grown.name, data }
  return { id, type: grown.name, body: JSON.stringify(envelope), erased_at: null }
}

test('a stored event is given the members it lacks, at any depth, when its type has gained some', () => {
  const old = stored({ size: 4, veins: [{ length: 1 }], tree: { kind: 'oak' } })
  expect(JSON.parse(currentBody(old)).data).toEqual({
    size: 4,
    colour: null,
    veins: [{ length: 1, width: null }],
    tree: { kind: 'oak', age: 7 },
    half: 2,
  })
})

test('a stored event keeps its bytes when nothing is missing, when it was erased, and when its type is unknown', () => {
  const whole = stored({ size: 4, colour: 'green', veins: [], half: 2 })
  const erased = { ...stored({}), erased_at: new Date() }
  const unknown = { ...stored({}), type: 'upgrade_leaf.eaten' }
  for (const event of [whole, erased, unknown]) expect(currentBody(event)).toBe(event.body)
})

test('a stored event is left alone when it was recorded after two versions ran side by side', () => {
  expectOlderEvents(Date.now() - 3_600_000)
  const recent = stored({ size: 4 })
  expect(currentBody(recent)).toBe(recent.body)
})
