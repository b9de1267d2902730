import { expect, test } from 'bun:test'
import type { JsonObject } from '../../platform/http/openapi/openapi-components.ts'
import { publishedRule } from '../../platform/http/schemas.ts'
import { plainSchema } from './plain-schema.ts'

const object = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

test('a choice of objects becomes one that says what goes with what', () => {
  const form = (kind: string, more: JsonObject) => object({ type: { type: 'string', const: kind }, ...more }, ['type'])
  const to = { type: 'string' }
  const text = { type: 'string', description: 'The text.' }
  expect(
    plainSchema({ oneOf: [form('text', { to, text }), form('file', { to, file: to })], description: 'A.' }),
  ).toEqual({
    type: 'object',
    properties: {
      type: { type: 'string', enum: ['text', 'file'] },
      to,
      text: { type: 'string', description: 'The text. With `type` `text`.' },
      file: { type: 'string', description: 'With `type` `file`.' },
    },
    required: ['type'],
    additionalProperties: false,
    description: 'A.',
  })
})

test('a difference deeper down is described by the kind above it', () => {
  const form = (kind: string, action: JsonObject) => object({ type: { const: kind }, action: object(action) })
  const { properties } = plainSchema({
    oneOf: [form('button', { buttons: { type: 'array', items: {} } }), form('list', { rows: { type: 'array' } })],
  }) as { properties: { action: { properties: JsonObject } } }
  expect(properties.action.properties).toEqual({
    buttons: { type: 'array', items: {}, description: 'With `type` `button`.' },
    rows: { type: 'array', description: 'With `type` `list`.' },
  })
})

test('an object that takes more stays open when it is merged with one that does not', () => {
  const merged = plainSchema({ anyOf: [object({ a: {} }), { type: 'object', additionalProperties: {} }] })
  expect(merged).toEqual({ type: 'object', properties: { a: {} } })
})

test('bounds that differ are dropped, values that differ are all allowed', () => {
  expect(
    plainSchema({
      anyOf: [
        { type: 'string', maxLength: 3 },
        { type: 'string', maxLength: 5 },
      ],
    }),
  ).toEqual({
    type: 'string',
  })
  expect(plainSchema({ anyOf: [{ enum: ['a', 'b'] }, { const: 'c' }, { const: 'a' }] })).toEqual({
    enum: ['a', 'b', 'c'],
  })
})

test('what has nothing in common stays a choice, and null stays possible', () => {
  const mixed = { anyOf: [{ type: 'integer' }, object({ percent: { type: 'number' } })] }
  expect(plainSchema(mixed)).toEqual(mixed)
  expect(plainSchema({ anyOf: [object({ a: {} }), { type: 'null' }], description: 'B.' })).toEqual({
    anyOf: [object({ a: {} }), { type: 'null' }],
    description: 'B.',
  })
})

test('patterns and rules between members go; members of the same names stay', () => {
  const rules = {
    ...publishedRule({}, {}),
    allOf: [{}],
    propertyNames: {},
    oneOf: [{ required: ['a'] }, { required: ['b'] }],
  }
  const members = { pattern: { type: 'string', pattern: '^a$' }, if: { type: 'string', examples: [{ pattern: 'x' }] } }
  expect(plainSchema({ ...object(members), ...rules } as JsonObject)).toEqual(
    object({ pattern: { type: 'string' }, if: { type: 'string', examples: [{ pattern: 'x' }] } }),
  )
})
