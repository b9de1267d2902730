import { describe, expect, test } from 'bun:test'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import { z } from 'zod'
import { defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import type { Json, JsonObject } from '../../platform/http/openapi-components.ts'
import { describedRoutes } from '../../public-routes.ts'
import { createTools, type Tool } from './tools.ts'
import { markCustomerText } from './untrusted-text.ts'

const routes = describedRoutes()
const tools = createTools(routes)
const toolOf = (wanted: string) => tools.find(({ definition }) => definition.name === wanted) as Tool
const validator = new AjvJsonSchemaValidator()
const faultOf = (schema: JsonObject, value: unknown) => validator.getValidator(schema)(value).errorMessage

/** The example of a route as the arguments of its tool. */
const argumentsOf = ({ example }: Route) => ({ ...example.params, ...(example.body as object | undefined) })

test('every route that is marked for agents is a tool, in snake_case and in the order of the docs', () => {
  expect(tools.map(({ route }) => route.id)).toEqual(routes.filter((route) => route.agentTool).map(({ id }) => id))
  expect(toolOf('get_webhook_certification').route.id).toBe('getWebhookCertification')
  expect(toolOf('get_me').definition.title).toBe('Who am I')
})

test('names and descriptions are such that programs take them', () => {
  for (const { definition } of tools) {
    expect(definition.name).toMatch(/^[a-z_]{1,64}$/)
    expect(definition.description.length).toBeLessThan(1024)
    for (const choice of ['oneOf', 'anyOf', 'allOf', '$ref', '$defs']) {
      expect(definition.inputSchema).not.toHaveProperty(choice)
      expect(definition.outputSchema).not.toHaveProperty(choice)
    }
  }
})

test('a model can be shown all of them: what they take is within 64,000 characters', () => {
  const shown = tools.map(({ definition: { outputSchema: _, ...rest } }) => rest)
  expect(JSON.stringify(shown).length).toBeLessThan(64_000)
})

describe.each(tools.map((tool) => [tool.definition.name, tool] as const))('%s', (_, { route, definition }) => {
  test('takes the example of its route', () => {
    expect(faultOf(definition.inputSchema, argumentsOf(route))).toBeUndefined()
  })

  test('answers as its schema says, with all marks on', () => {
    const reply = markCustomerText((route.example.reply ?? {}) as Json)
    expect(faultOf(definition.outputSchema, reply)).toBeUndefined()
  })

  test('may answer with an approval instead where it changes something', () => {
    const approval = { object: 'approval', id: 'apr_1', status: 'pending', expires_at: '2026-11-14T09:45:00.000Z' }
    expect(faultOf(definition.outputSchema, { approval }) === undefined).toBe(route.method !== 'GET')
  })
})

test('every form of a message fits the one shape of its tool', () => {
  const { inputSchema } = toolOf('send_message').definition
  const to = '+6281234567890'
  const action = { buttons: [{ type: 'reply', reply: { id: 'a', title: 'Ya' } }] }
  const messages = [
    { to, body: 'Halo' },
    { to, type: 'document', media: { link: 'https://example.com/a.pdf', filename: 'a.pdf' }, body: 'Ini' },
    { to, type: 'location', location: { latitude: -6.2, longitude: 106.8 } },
    { to, type: 'interactive', interactive: { type: 'button', body: { text: 'Mau?' }, action } },
    { to, type: 'template', template: { name: 'ready', language: { code: 'id' } }, idempotency_key: 'k' },
  ]
  expect(messages.map((message) => faultOf(inputSchema, message))).toEqual(messages.map(() => undefined))
  expect(faultOf(inputSchema, { body: 'Halo' })).toContain('to')
})

test('a POST takes an idempotency key, and nothing else does', () => {
  const taking = tools.filter(({ definition }) => 'idempotency_key' in (definition.inputSchema.properties as object))
  expect(taking.map(({ route }) => route.method)).toEqual(taking.map(() => 'POST'))
  expect(taking.length).toBe(tools.filter(({ route }) => route.method === 'POST').length)
})

test('a name with two meanings is refused when the tools are made', () => {
  const route = defineRoute({
    id: 'changeThing',
    method: 'PATCH',
    path: '/things/{id}',
    tag: 'Things',
    summary: 'Change a thing',
    description: 'Changes it.',
    access: key('chats:write'),
    agentTool: true,
    params: z.object({ id: z.string() }),
    body: z.strictObject({ id: z.string() }),
    reply: { status: 200, body: null },
    example: { reply: null },
    handle: () => undefined,
  })
  expect(() => createTools([route])).toThrow('route changeThing cannot be a tool: "id" is in two of')
})
