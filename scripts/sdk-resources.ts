import { sdkGroup, sdkMethod } from '../src/surfaces/docs/description.ts'
import {
  answerOf,
  answersCsv,
  bodyOf,
  type Call,
  callsOf,
  type Description,
  itemOf,
  nameOf,
  parametersIn,
  pascalCase,
  takesFile,
  takesHeader,
} from './sdk-description.ts'
import { comment, GENERATED, queryName, typeOf } from './sdk-types.ts'

/**
 * One class per group with one method per operation. The rule for their names, so that a new route needs no hand:
 *
 * - the group is the first part of the path in camelCase: `/webhook-endpoints/{id}` is `webhookEndpoints`
 * - the method is the operation id without the words of the group: `createOrder` of `/orders` is `create`,
 *   `rotateWebhookSecret` of `/webhook-endpoints` is `rotateSecret`, `createOrderRefund` of `/orders` is `createRefund`
 * - what it takes: the values of the path in their order, the body, the query, options
 * - an operation that takes a file takes it in the place of the body; one that can answer CSV has a second method for that,
 *   `orders.listCsv` beside `orders.list`
 * - an operation that answers a list gives all its pages; where a list is a member of the answer, a second method of the
 *   member's name gives that: `chats.messages(phone)` beside `chats.get(phone)`
 */
export function sdkResources(description: Description): string {
  const groups = Map.groupBy(callsOf(description), (call) => sdkGroup(call.path))
  const names = [...groups.keys()].sort()
  const classes = names.map((name) => groupClass(description, name, groups.get(name) ?? []))
  const body = classes.join('\n')
  return [
    GENERATED,
    importLine(
      '{ type CallOptions, type ChangeOptions, type PostOptions, pathValue, type Transport }',
      '../transport.ts',
    ),
    importLine('type { FileInput }', '../files.ts'),
    importLine('type { List }', '../list.ts'),
    importLine('type { Reply }', '../reply.ts'),
    importLine(`type {\n  ${importedTypes(body).join(',\n  ')},\n}`, './types.ts'),
    '',
    `/** Where the operations are, below the address of a server. */`,
    `export const BASE_PATH = '${description.servers[0]?.url}'\n`,
    body,
    resources(names),
  ].join('\n')
}

const importLine = (what: string, path: string) => `import ${what} from '${path}'`

function groupClass(description: Description, group: string, calls: Call[]): string {
  const methods = calls.flatMap((call) => methodsOf(description, group, call))
  const names = methods.map(({ name }) => name)
  const twice = names.filter((name, index) => names.indexOf(name) !== index)
  if (twice.length > 0) throw new Error(`two operations of ${group} would be called ${twice}: give one another id`)
  return `export class ${pascalCase(group)} {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

${methods.map(({ text }) => text).join('\n')}}
`
}

type Method = { name: string; text: string }

function methodsOf(description: Description, group: string, call: Call): Method[] {
  const name = sdkMethod(call.operationId, group)
  const answer = answerOf(call)
  const item = itemOf(description, answer)
  const takes = takenBy(call)
  const method = (of: { name: string; text: string; type: string; how: string }): Method => ({
    name: of.name,
    text: `${comment(of.text, '  ')}  ${of.name}(${takes.parameters}): ${of.type} {
    return this.#transport.${of.how}
  }
`,
  })
  const csvText = `${call.summary}, as CSV with a first line of names.\n\nOperation: \`${call.operationId}\`.`
  const csv = { name: `${name}Csv`, text: csvText, type: 'Reply<string>', how: `csv(${takes.request}, options)` }
  const alsoCsv = answersCsv(call) ? [method(csv)] : []
  const text = `${call.summary}.\n\n${call.description}\n\nOperation: \`${call.operationId}\`.`
  if (item) {
    const type = typeOf(item, 'answer')
    return [method({ name, text, type: `List<${type}>`, how: `list<${type}>(${takes.request}, options)` }), ...alsoCsv]
  }
  const type = answer ? typeOf(answer, 'answer') : 'void'
  const whole = method({ name, text, type: `Reply<${type}>`, how: `call<${type}>(${takes.request}, options)` })
  return [
    whole,
    ...alsoCsv,
    ...innerLists(description, call).map(([member, inner]) => {
      const pages = `All pages of \`${member}\` of what \`${name}\` answers.\n\nOperation: \`${call.operationId}\`.`
      const how = `listWithin<${inner}>('${member}', ${takes.request}, options)`
      return method({ name: member, text: pages, type: `List<${inner}>`, how })
    }),
  ]
}

/** Members of the answer that are lists, where the operation has a cursor to go on with. */
function innerLists(description: Description, call: Call): [string, string][] {
  if (!parametersIn(call, 'query').some(({ name }) => name === 'cursor')) return []
  const answer = description.components.schemas[nameOf(answerOf(call) ?? {}) ?? '']
  return Object.entries(answer?.properties ?? {}).flatMap(([member, schema]) => {
    const item = itemOf(description, schema)
    return item ? [[member, typeOf(item, 'answer')] as [string, string]] : []
  })
}

const camelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

function takenBy(call: Call): { parameters: string; request: string } {
  const values = parametersIn(call, 'path').map(({ name }) => camelCase(name))
  const body = bodyOf(call.requestBody)
  const asked = parametersIn(call, 'query')
  const query = asked.length > 0
  const isQueryNeeded = asked.some(({ required }) => required)
  const parameters = [
    ...values.map((name) => `${name}: string`),
    ...(takesFile(call) ? ['file: FileInput'] : []),
    ...(body ? [`body${call.requestBody?.required ? '' : '?'}: ${typeOf(body, 'request')}`] : []),
    ...(query ? [`query: ${queryName(call)}${isQueryNeeded ? '' : ' = {}'}`] : []),
    `options: ${optionsOf(call)} = {}`,
  ]
  const path = call.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `\${pathValue(${camelCase(name)})}`)
  const request = [
    `method: '${call.method}'`,
    `path: ${values.length > 0 ? `\`${path}\`` : `'${path}'`}`,
    ...(body ? ['body'] : []),
    ...(takesFile(call) ? ['file'] : []),
    ...(query ? ['query'] : []),
  ]
  return { parameters: parameters.join(', '), request: `{ ${request.join(', ')} }` }
}

function optionsOf(call: Call): string {
  if (takesHeader(call, 'IdempotencyKey')) return 'PostOptions'
  return takesHeader(call, 'IfMatch') ? 'ChangeOptions' : 'CallOptions'
}

/** Whatever the methods name and TypeScript does not have. */
const importedTypes = (text: string) =>
  [
    ...new Set([...text.matchAll(/(?:body\??: |query: |List<|Reply<)([A-Z]\w+)/g)].map(([, name]) => name as string)),
  ].sort()

const resources = (names: string[]) =>
  [
    '/** Every group of operations, as a client has them. */',
    'export class Resources {',
    ...names.map((name) => `  readonly ${name}: ${pascalCase(name)}`),
    '',
    '  constructor(transport: Transport) {',
    ...names.map((name) => `    this.${name} = new ${pascalCase(name)}(transport)`),
    '  }\n}\n',
  ].join('\n')
