import type { z } from 'zod'
import { writeCell, writeLine } from '../csv/csv-text.ts'
import { renderValue } from './reply-shape.ts'

/**
 * The columns of what a schema describes: one for each value, `customer.phone` for a value in an object. Lists and objects whose
 * members have free names are one column each, with JSON. Only what the schema names is written.
 */
type CsvColumn = { name: string; cell: (value: unknown) => string }

type Definition = {
  type: string
  shape?: Record<string, z.ZodType>
  innerType?: z.ZodType
  options?: readonly z.ZodType[]
}

const definitionOf = (schema: z.ZodType): Definition => schema._zod.def as Definition

/** The members of an object, or of the objects of a union; null for anything else. */
function membersOf(schema: z.ZodType): Map<string, z.ZodType> | null {
  const { type, shape, innerType, options } = definitionOf(schema)
  if (innerType !== undefined) return membersOf(innerType)
  if (type === 'object' && shape !== undefined) return new Map(Object.entries(shape))
  if (type !== 'union' || options === undefined) return null
  const members = new Map<string, z.ZodType>()
  for (const option of options) {
    const inner = membersOf(option)
    if (inner === null) return null
    for (const [name, member] of inner) if (!members.has(name)) members.set(name, member)
  }
  return members
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

function cellOf(schema: z.ZodType, value: unknown): string {
  if (typeof value !== 'object' || value === null) return writeCell(value as string | number | boolean | null)
  return writeCell(renderValue(schema, value))
}

function columnsIn(schema: z.ZodType, path: string, read: (value: unknown) => unknown): CsvColumn[] {
  const members = membersOf(schema)
  if (members === null || members.size === 0)
    return [{ name: path, cell: (value: unknown) => cellOf(schema, read(value)) }]
  return [...members].flatMap(([name, member]) =>
    // The name of the kind is the same in every line.
    name === 'object'
      ? []
      : columnsIn(member, path === '' ? name : `${path}.${name}`, (value) => memberOf(read(value), name)),
  )
}

export const columnsOf = (schema: z.ZodType): CsvColumn[] => columnsIn(schema, '', (value) => value)

export const writeHeading = (columns: readonly CsvColumn[]): string =>
  writeLine(columns.map(({ name }) => writeCell(name)))

export const writeRow = (columns: readonly CsvColumn[], value: unknown): string =>
  writeLine(columns.map(({ cell }) => cell(value)))
