import { describe, expect, test } from 'bun:test'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import { countTokens } from 'gpt-tokenizer'
import { z } from 'zod'
import { describedRoutes } from '../../boot/public-routes.ts'
import { defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import type { JsonObject } from '../../platform/http/openapi/openapi-components.ts'
import { resultOf } from './tool-results.ts'
import { toolTexts } from './tool-texts.ts'
import { createTools, isBrief, type Tool, type ToolDefinition, toolName } from './tools.ts'

const routes = describedRoutes()
const tools = createTools(routes)
const toolOf = (wanted: string) => tools.find(({ definition }) => definition.name === wanted) as Tool
const validator = new AjvJsonSchemaValidator()
const faultOf = (schema: JsonObject, value: unknown) => validator.getValidator(schema)(value).errorMessage

const outputsOf = ({ outputSchema }: ToolDefinition) => outputSchema.properties as object

/** The example of a route as the arguments of its tool. */
const argumentsOf = ({ example }: Route) => ({ ...example.params, ...(example.body as object | undefined) })

test('every route that is marked for agents is a tool, in snake_case and in the order of the docs', () => {
  const ids = [...new Set(tools.map(({ route }) => route.id))]
  expect(ids).toEqual(routes.filter((route) => route.agentTool).map(({ id }) => id))
  expect(toolOf('get_webhook_certification').route.id).toBe('getWebhookCertification')
  expect(toolOf('get_me').definition.title).toBe('Get the current key')
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

test('every tool and only tools have a text', () => {
  expect(tools.map(({ definition }) => definition.name).toSorted()).toEqual(
    Object.keys(toolTexts).map(toolName).toSorted(),
  )
})

test('the tool list takes at most 8,000 tokens, with all scopes and all schemas', () => {
  const list = JSON.stringify({ tools: tools.map(({ definition }) => definition) })
  expect(countTokens(list)).toBeLessThanOrEqual(8000)
})

describe.each(tools.map((tool) => [tool.definition.name, tool] as const))('%s', (_, { route, definition }) => {
  test('takes the example of its route', () => {
    expect(faultOf(definition.inputSchema, argumentsOf(route))).toBeUndefined()
  })

  test('answers as its schema says, with all marks on', async () => {
    const { content, structuredContent } = await resultOf(Response.json(route.example.reply ?? {}), isBrief(route))
    expect(faultOf(definition.outputSchema, structuredContent)).toBeUndefined()
    const undescribed = Object.keys(structuredContent ?? {}).filter((name) => !(name in outputsOf(definition)))
    expect([content.length, undescribed.filter((name) => name !== 'note')]).toEqual([1, []])
  })

  test('describes an approval as its answer where it changes something', () => {
    expect('approval' in outputsOf(definition)).toBe(route.method !== 'GET')
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

test('a name with two meanings is refused when the tools are created', () => {
  const route = defineRoute({
    id: 'changeThing',
    method: 'PATCH',
    path: '/things/{id}',
    tag: 'Things',
    summary: 'Change a thing',
    description: 'Changes it.',
    access: key('chats:write'),
    agentTool: { decision: 'ask', rank: 1, target: 'chat' },
    params: z.object({ id: z.string() }),
    body: z.strictObject({ id: z.string() }),
    reply: { status: 200, body: null },
    example: { reply: null },
    handle: () => undefined,
  })
  expect(() => createTools([route])).toThrow('route changeThing cannot be a tool: "id" is in two of')
})
