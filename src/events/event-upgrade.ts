import { z } from 'zod'
import { type Id, idTime } from '../kernel/ids.ts'
import { isRecord } from '../kernel/records.ts'
import { bodyShapeOf, findEventType } from './event-catalogue.ts'

/**
 * Events that an older version recorded, in the shape that is published now. Bodies are stored as they were recorded, and
 * members are added to schemas; so what is delivered or listed is given the members it lacks. Nothing is renamed, removed or
 * changed: that would be another type.
 *
 * A member that is absent becomes null or an empty list, whichever its schema allows. Where neither fits, the schema says what
 * it is (`whenAbsent`). test/fixtures/events-0.1.json holds bodies of version 0.1; a member that cannot be given fails there.
 */
type Parent = Readonly<Record<string, unknown>>

const absent = z.registry<{ value: (parent: Parent) => unknown }>()

/** Last in the declaration of a member: `whenAbsent(z.int(), ({ total }) => total)`. */
export const whenAbsent = <Schema extends z.ZodType>(
  schema: Schema,
  value: (parent: Parent) => z.input<Schema>,
): Schema => {
  absent.add(schema, { value })
  return schema
}

/**
 * Only what may be of another version is looked at: parsing every body would cost as much as hashing it. Processes of two
 * versions run side by side for the time of an upgrade.
 */
const SIDE_BY_SIDE_MS = 10 * 60_000
let sameVersionFromMs = 0

/** From now on another version may record events, for as long as two run side by side. */
export const expectOlderEvents = (nowMs = Date.now()): void => {
  sameVersionFromMs = nowMs + SIDE_BY_SIDE_MS
}

expectOlderEvents()

type StoredEvent = { id: Id<'evt'>; type: string; body: string; erased_at: Date | null }

const isUpgradable = ({ id, erased_at: erasedAt }: StoredEvent): boolean =>
  erasedAt === null && idTime(id).getTime() < sameVersionFromMs

/** The bytes that were stored, unless a member is missing. */
export function currentBody(event: StoredEvent): string {
  if (!isUpgradable(event)) return event.body
  const stored: unknown = JSON.parse(event.body)
  const filled = upgradeEvent(event.type, stored)
  return filled === stored ? event.body : JSON.stringify(filled)
}

const shapes = new Map<string, z.ZodType>()

export function upgradeEvent(typeName: string, event: unknown): unknown {
  const type = findEventType(typeName)
  if (type === null) return event
  const shape = shapes.get(typeName) ?? bodyShapeOf(type)
  shapes.set(typeName, shape)
  return fill(shape, event)
}

/** zod types what a schema is composed of as its core, which cannot parse. All of ours can. */
const readable = (schema: z.core.$ZodType) => schema as z.ZodType

/** The value itself when nothing is missing in it. */
function fill(schema: z.ZodType, value: unknown): unknown {
  if (!isRecord(value) && !Array.isArray(value)) return value
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return fill(readable(schema.unwrap()), value)
  if (schema instanceof z.ZodUnion) return fillUnion(schema.options, value)
  if (schema instanceof z.ZodArray && Array.isArray(value)) return fillList(readable(schema.element), value)
  return schema instanceof z.ZodObject && !Array.isArray(value) ? fillObject(schema, value) : value
}

function fillObject(schema: z.ZodObject, value: Parent): Parent {
  const members: Record<string, unknown> = {}
  const shape: Record<string, z.ZodType> = schema.shape
  for (const name in shape) {
    const member = shape[name]
    if (member === undefined) continue
    const filled = name in value ? fill(member, value[name]) : emptyOf(member, value)
    if (filled !== value[name]) members[name] = filled
  }
  return Object.keys(members).length === 0 ? value : { ...value, ...members }
}

function fillList(element: z.ZodType, values: readonly unknown[]): readonly unknown[] {
  const filled = values.map((value) => fill(element, value))
  return filled.every((value, index) => value === values[index]) ? values : filled
}

/** The first shape that what is filled belongs to. */
function fillUnion(options: readonly z.core.$ZodType[], value: unknown): unknown {
  for (const each of options) {
    const option = readable(each)
    const filled = fill(option, value)
    if (option.safeParse(filled).success) return filled
  }
  return value
}

/** Undefined where the member may be absent, or where nothing fits. */
function emptyOf(schema: z.ZodType, parent: Parent): unknown {
  const known = absent.get(schema)
  if (known !== undefined) return known.value(parent)
  const empty = empties.get(schema) ?? findEmpty(schema)
  empties.set(schema, empty)
  return empty.value
}

const empties = new WeakMap<z.ZodType, { value: unknown }>()

const findEmpty = (schema: z.ZodType) => ({
  value: [undefined, null, []].find((value) => schema.safeParse(value).success),
})
