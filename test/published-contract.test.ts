import { describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describedRoutes } from '../src/boot/public-routes.ts'
import type { ErrorDeclaration } from '../src/kernel/errors.ts'
import { pascalCase } from '../src/platform/http/openapi/openapi-errors.ts'
import { exampleFaults } from '../src/platform/http/openapi/openapi-examples.ts'
import { createDocsSite } from '../src/surfaces/docs/docs-site.ts'

/** What is published must be what the code does: the committed description, the page of codes and the examples. */
const repository = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(repository, path), 'utf8')

type Declared = ErrorDeclaration

const isDeclared = (value: unknown): value is Declared =>
  typeof value === 'function' && typeof (value as Partial<Declared>).code === 'string'

/** From the files that declare them, not from the register: other tests of this process may have declared their own. */
async function declaredErrors(): Promise<Declared[]> {
  const files = globSync('src/**/*.errors.ts', { cwd: repository })
  const modules: object[] = await Promise.all(files.map((file) => import(join(repository, file))))
  const values = modules.flatMap((module) => Object.values(module))
  const declared = values.flatMap((value) =>
    isDeclared(value) ? [value] : Object.values(Object(value)).filter(isDeclared),
  )
  return [...new Set(declared)]
}

const errors = await declaredErrors()
const codes = errors.map((error) => error.code).sort()

test('the committed openapi.json, asyncapi.json, docs/reference/errors.md and generated part of the SDK are what the code says', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/lint-openapi.ts', '--only-files'], {
    cwd: repository,
  })
  expect(stderr.toString()).toBe('')
  expect(status).toBe(0)
})

describe('asyncapi.json', () => {
  type Node = Record<string, unknown>
  const document: Node = JSON.parse(read('asyncapi.json'))
  const { channels, operations, components } = document as Record<string, Record<string, Node>>
  const at = (pointer: string) =>
    pointer
      .slice(2)
      .split('/')
      .reduce<unknown>((node, name) => (node as Node | undefined)?.[name], document)

  const nodesOf = (node: unknown): Node[] =>
    typeof node !== 'object' || node === null
      ? []
      : [...(Array.isArray(node) ? [] : [node as Node]), ...Object.values(node).flatMap(nodesOf)]

  const isObjectSchema = ({ type, properties }: Node) => [type].flat().includes('object') && properties !== undefined

  test('has a message for every event of the catalogue, and an operation that sends it', () => {
    const { webhooks } = JSON.parse(read('openapi.json'))
    const [channel] = Object.values(channels as Record<string, Node>)
    expect(Object.keys(channel?.messages as Node)).toEqual(Object.keys(webhooks))
    const sent = Object.values(operations as Record<string, Node>).flatMap(({ action, messages }) => {
      expect(action).toBe('send')
      return (messages as { $ref: string }[]).map(({ $ref }) => at($ref))
    })
    expect(sent).toEqual(Object.keys(webhooks).map((type) => ({ $ref: `#/components/messages/${type}` })))
  })

  test('names the payload of every event and every object in it, instead of leaving them to be numbered', () => {
    const { messages, schemas } = components as unknown as Record<string, Record<string, Node>>
    const payloads = Object.values(messages as Record<string, Node>).map(({ payload }) => payload as Node)
    expect(payloads.flatMap(Object.keys)).toEqual(payloads.map(() => '$ref'))
    const nameless = Object.entries(schemas as Record<string, Node>).flatMap(([name, schema]) =>
      nodesOf(Object.values(schema)).flatMap((node) => (isObjectSchema(node) ? [name] : [])),
    )
    expect(nameless).toEqual([])
  })

  test('refers only to what it holds, by names that AsyncAPI allows', () => {
    const references = nodesOf(document).flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []))
    expect(references.length).toBeGreaterThan(100)
    expect(references.filter((reference) => at(reference) === undefined)).toEqual([])
    const names = Object.values(components as Record<string, Node>).flatMap((section) => Object.keys(section))
    expect(names.filter((name) => !/^[\w\d.\-_]+$/.test(name))).toEqual([])
  })

  test('keeps to JSON Schema draft 07, the language of AsyncAPI: nothing newer, and nothing beside a reference', () => {
    const NEWER = ['prefixItems', 'dependentRequired', 'dependentSchemas', 'unevaluatedProperties', '$defs', '$anchor']
    const wrong = nodesOf(components).flatMap((node) => [
      ...NEWER.filter((word) => word in node),
      ...('$ref' in node && Object.keys(node).length > 1 ? [String(node.$ref)] : []),
    ])
    expect(wrong).toEqual([])
  })
})

describe('openapi.json, to a generator of clients', () => {
  type Node = Record<string, unknown>
  type Part = { content?: Record<string, { schema: Node }> }
  type Operation = { operationId: string; requestBody?: Part; responses: Record<string, Part> }
  const { paths, components } = JSON.parse(read('openapi.json')) as {
    paths: Record<string, Record<string, Operation>>
    components: { schemas: Record<string, Node> }
  }
  const schemas = Object.entries(components.schemas)
  const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null
  const isType = (node: Node) => 'properties' in node || 'enum' in node

  /** Every schema below this one that needs a name, with the one that comes of the member it is found in. */
  const typesIn = (node: Node, name: string): { name: string; node: Node }[] => [
    ...(isType(node) ? [{ name, node }] : []),
    ...Object.entries((node.properties ?? {}) as Record<string, Node>).flatMap(([member, inner]) =>
      typesIn(inner, name + pascalCase(member)),
    ),
    ...(isNode(node.items) ? typesIn(node.items, `${name}Item`) : []),
  ]

  test('gives no two types the same name when names consist of a component and the members that lead to it', () => {
    const types = schemas.flatMap(([name, schema]) => typesIn(schema, name))
    const shared = [...Map.groupBy(types, ({ name }) => name.toLowerCase()).values()].filter((same) => same.length > 1)
    expect(types.length).toBeGreaterThan(150)
    expect(shared.map((same) => same[0]?.name)).toEqual([])
  })

  const choicesIn = (node: unknown, at: string): string[] => {
    if (!isNode(node)) return []
    const choices = [node.oneOf, node.anyOf].flatMap((list) => (Array.isArray(list) ? (list as Node[]) : []))
    return [
      ...choices.flatMap((choice) => (choice.type === 'object' && 'properties' in choice ? [at] : [])),
      ...Object.entries(node).flatMap(([name, inner]) => choicesIn(inner, `${at}/${name}`)),
    ]
  }

  test('names every object that is one of several, instead of leaving it to be numbered', () => {
    expect(schemas.flatMap(([name, schema]) => choicesIn(schema, name))).toEqual([])
  })

  test('names what is sent and what comes back', () => {
    const operations = Object.values(paths).flatMap((path) => Object.values(path))
    const contents = operations.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.entries(responses).flatMap(([status, reply]) => (status < '300' ? [reply] : []))].flatMap(
        (part) => Object.values(part?.content ?? {}).map(({ schema }) => ({ operationId, schema })),
      ),
    )
    expect(contents.length).toBeGreaterThan(50)
    expect(contents.filter(({ schema }) => !('$ref' in schema)).map(({ operationId }) => operationId)).toEqual([])
  })
})

describe('error codes', () => {
  test('are declared once, by many', () => {
    expect(codes.length).toBeGreaterThan(25)
    expect(new Set(codes).size).toBe(codes.length)
  })

  test('are all in the description, and the description knows no others', () => {
    const { code } = JSON.parse(read('openapi.json')).components.schemas.Problem.properties
    expect(code['x-extensible-enum']).toEqual(codes)
  })

  test('are all on the page of codes, and the page knows no others', () => {
    const page = read('docs/reference/errors.md')
    expect([...page.matchAll(/^## (\w+)$/gm)].map((match) => match[1] as string).sort()).toEqual(codes)
    for (const { code, status, title } of errors)
      expect(page).toContain(`| [\`${code}\`](#${code}) | ${status} | ${title} |`)
  })

  test('have a page each', async () => {
    const site = createDocsSite({
      openApiPath: '/o.json',
      asyncApiPath: '/a.json',
      basePath: '/',
      errors,
      publicUrl: 'http://host',
      folder: null,
    })
    for (const code of codes) {
      const response = await site.fetch(new Request(`http://host/docs/errors/${code}.md`))
      expect([code, response?.status]).toEqual([code, 200])
    }
  })
})

test('every example of every route passes its own schema', () => {
  const routes = describedRoutes()
  expect(routes.length).toBeGreaterThan(0)
  expect(routes.flatMap(exampleFaults)).toEqual([])
})
