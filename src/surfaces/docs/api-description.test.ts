import { describe, expect, test } from 'bun:test'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import openapi from '../../../openapi.json' with { type: 'json' }
import { chatExample } from '../../messaging/chats/chats.schemas.ts'

type Node = Record<string, unknown>
const schemas = openapi.components.schemas as Record<string, Node>
const responses = openapi.components.responses as Record<string, Node>

/** Every schema that these parts of the description hold or refer to. */
function reachedFrom(parts: unknown): Node[] {
  const seen = new Set<unknown>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return
    seen.add(node)
    const [section, name] = String((node as Node).$ref ?? '')
      .split('/')
      .slice(2) as [string?, string?]
    if (section === 'schemas') visit(schemas[name as string])
    if (section === 'responses') visit(responses[name as string])
    for (const [key, inner] of Object.entries(node)) if (key !== 'example' && key !== 'examples') visit(inner)
  }
  visit(parts)
  return [...seen] as Node[]
}

const operations = Object.values(openapi.paths).flatMap((methods) => Object.values(methods as Record<string, Node>))
const answers = reachedFrom([operations.map((operation) => operation.responses), openapi.webhooks])
const requests = reachedFrom(operations.flatMap(({ requestBody, parameters }) => [requestBody, parameters]))
const isTextEnum = ({ enum: values }: Node) =>
  Array.isArray(values) && values.some((value) => typeof value === 'string')

describe('the published description', () => {
  test('has open enums in answers and closed ones in requests', () => {
    expect(answers.filter(isTextEnum)).toEqual([])
    expect(answers.filter((node) => 'x-extensible-enum' in node).length).toBeGreaterThan(40)
    expect(requests.filter((node) => 'x-extensible-enum' in node)).toEqual([])
    expect(requests.filter(isTextEnum).length).toBeGreaterThan(20)
  })

  test('accepts an answer with a value of later', () => {
    const schema = { ...schemas.Chat, components: openapi.components } as never
    const check = new AjvJsonSchemaValidator().getValidator(schema)
    expect(check(chatExample).valid).toBe(true)
    expect(check({ ...chatExample, status: 'archived' }).valid).toBe(true)
    expect(check({ ...chatExample, status: 7 }).valid).toBe(false)
  })

  test('answers every error of ours by one schema, through shared responses', () => {
    const errors = operations.flatMap(({ responses: own }) =>
      Object.entries(own as Record<string, Node>).filter(([status]) => Number(status) >= 400),
    )
    for (const [, response] of errors) expect(Object.keys(response)).toEqual(['$ref'])
    const problems = Object.values(responses).flatMap(
      ({ content }) => Object(content)['application/problem+json'] ?? [],
    )
    expect(problems.length).toBeGreaterThan(30)
    for (const { schema } of problems) expect(schema).toEqual({ $ref: '#/components/schemas/Problem' })
  })
})
