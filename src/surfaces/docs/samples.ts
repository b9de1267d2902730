import { type Call, firstContent, NOT_IN_SDK, type Parameter, sdkGroup, sdkMethod, successOf } from './description.ts'

/** One call in four languages, from the examples that the description holds. Adjacent labelled fences are tabs on the site. */
export type Sample = { language: string; label: string; code: string }

type Value = unknown
const EXAMPLE_ID = '01k9x3m5q8e0t9v7a2b4c6d8fg'

export function sampleValue({ example, schema, name }: Parameter): Value {
  if (example !== undefined) return example
  if (schema.examples?.[0] !== undefined) return schema.examples[0]
  const [, prefix] = /^\^\(?([a-z]+_)/.exec(schema.pattern ?? '') ?? []
  if (prefix !== undefined) return prefix + EXAMPLE_ID
  return name === 'phone' ? '+6281234567890' : (schema.enum?.[0] ?? schema.default ?? name)
}

export type SampleCall = {
  method: string
  url: string
  pathValues: string[]
  query: Record<string, Value>
  body: Value
  /** Files are sent as forms. */
  isForm: boolean
  hasIdempotencyKey: boolean
}

/** Required parameters, and those whose example says something. */
export function sampleCall(call: Call, baseUrl: string): SampleCall {
  const content = firstContent(call.requestBody)
  const pathParameters = call.parameters.filter((parameter) => parameter.in === 'path')
  const path = call.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = pathParameters.find((one) => one.name === name) as Parameter
    return encodeURIComponent(String(sampleValue(parameter)))
  })
  const query = call.parameters.filter((one) => one.in === 'query' && (one.required || one.example !== undefined))
  return {
    method: call.method,
    url: baseUrl + path,
    pathValues: pathParameters.map((parameter) => String(sampleValue(parameter))),
    query: Object.fromEntries(query.map((parameter) => [parameter.name, sampleValue(parameter)])),
    body: content?.example,
    isForm: content?.type === 'multipart/form-data',
    hasIdempotencyKey: call.parameters.some(({ name }) => name === 'Idempotency-Key'),
  }
}

export function samplesOf(call: Call, baseUrl: string): Sample[] {
  const sample = sampleCall(call, baseUrl)
  const isInSdk = !call.tags.includes(NOT_IN_SDK)
  return [
    { language: 'sh', label: 'curl', code: curl(sample) },
    { language: 'ts', label: 'TypeScript', code: isInSdk ? sdk(call, sample) : fetchCall(sample) },
    { language: 'py', label: 'Python', code: wideIndent(python(sample)) },
    { language: 'php', label: 'PHP', code: wideIndent(php(sample)) },
  ]
}

export const fences = (samples: readonly Sample[]): string =>
  samples.map(({ language, label, code }) => `\`\`\`${language} [${label}]\n${code}\n\`\`\``).join('\n\n')

const queryText = (query: Record<string, Value>) => {
  const parts = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent([value].flat().join(','))}`)
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

const formEntries = (body: Value) =>
  Object.entries(body as Record<string, Value>).map(([name, value]) => [name, String(value)])
const FILE_FIELD = 'file'

/** The file of an example, where it has a name that ends like one. */
function fileIn(body: Value): { name: string; type: string } {
  const name = String((body as Record<string, Value>)[FILE_FIELD])
  return name.endsWith('.csv') ? { name, type: 'text/csv' } : { name: 'photo.png', type: 'image/png' }
}

function curl({ method, url, query, body, isForm, hasIdempotencyKey }: SampleCall): string {
  const isPlain = method === 'GET' || (method === 'POST' && body !== undefined)
  const lines = [
    `curl${isPlain ? '' : ` -X ${method}`} "${url}${queryText(query)}"`,
    '-H "Authorization: Bearer $NEXKIT_KEY"',
    ...(hasIdempotencyKey ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
  ]
  if (isForm) {
    for (const [name, value] of formEntries(body))
      lines.push(`-F ${name}=${name === FILE_FIELD ? `@${fileIn(body).name}` : value}`)
  } else if (body !== undefined) {
    lines.push('-H "Content-Type: application/json"')
    lines.push(`-d '${JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)}'`)
  }
  return lines.join(' \\\n  ')
}

function sdk(call: Call, { url, pathValues, query, body, isForm }: SampleCall): string {
  const group = sdkGroup(call.path)
  const name = `nexkit.${group}.${sdkMethod(call.operationId, group)}`
  const takesQuery = Object.keys(query).length > 0
  const values = [
    ...pathValues.map((value) => literal(value, TYPESCRIPT)),
    ...(isForm ? [`{ name: '${fileIn(body).name}', data: await readFile('${fileIn(body).name}') }`] : []),
    ...(body === undefined || isForm ? [] : [literal(body, TYPESCRIPT)]),
    ...(takesQuery ? [literal(query, TYPESCRIPT)] : []),
  ]
  return [
    ...(isForm ? [`import { readFile } from 'node:fs/promises'`] : []),
    `import { Nexkit } from '@nexkit/sdk'`,
    '',
    `const nexkit = new Nexkit({ token: process.env.NEXKIT_KEY ?? '', baseUrl: '${new URL(url).origin}' })`,
    '',
    sdkUse(call, `${name}(${values.join(', ')})`),
  ].join('\n')
}

function sdkUse(call: Call, expression: string): string {
  const [, success] = successOf(call) ?? []
  const content = firstContent(success)
  if (content === null) return `await ${expression}`
  const isList = (content.example as { object?: string } | undefined)?.object === 'list'
  if (isList) return `for await (const entry of ${expression}) {\n  console.log(entry)\n}`
  return `const reply = await ${expression}\nconsole.log(reply)`
}

function fetchCall({ method, url, query, body, isForm }: SampleCall): string {
  const headers = `headers: { Authorization: \`Bearer \${process.env.NEXKIT_KEY}\`${
    body !== undefined && !isForm ? `, 'Content-Type': 'application/json'` : ''
  } },`
  const form = isForm
    ? [
        'const form = new FormData()',
        ...formEntries(body).map(([name, value]) =>
          name === FILE_FIELD
            ? `form.set('${name}', new Blob([await readFile('${fileIn(body).name}')], { type: '${fileIn(body).type}' }), '${fileIn(body).name}')`
            : `form.set('${name}', '${value}')`,
        ),
      ]
    : []
  const payload = isForm ? 'form' : `JSON.stringify(${indent(literal(body, TYPESCRIPT))})`
  return [
    ...(isForm ? [`import { readFile } from 'node:fs/promises'`, ''] : []),
    ...form,
    `const response = await fetch('${url}${queryText(query)}', {`,
    `  method: '${method}',`,
    `  ${headers}`,
    ...(body === undefined ? [] : [`  body: ${payload},`]),
    '})',
    'console.log(response.status, await response.json())',
  ].join('\n')
}

function python({ method, url, query, body, isForm, hasIdempotencyKey }: SampleCall): string {
  const headers = [
    `"Authorization": f"Bearer {os.environ['NEXKIT_KEY']}"`,
    ...(hasIdempotencyKey ? ['"Idempotency-Key": str(uuid.uuid4())'] : []),
  ]
  const form = isForm ? formEntries(body) : []
  const fields = Object.fromEntries(form.filter(([name]) => name !== FILE_FIELD))
  const parts = [
    `"${url}"`,
    `headers={${headers.join(', ')}}`,
    ...(Object.keys(query).length > 0 ? [`params=${indent(literal(flatQuery(query), PYTHON))}`] : []),
    ...(isForm
      ? [
          `data=${indent(literal(fields, PYTHON))}`,
          `files={"file": ("${fileIn(body).name}", open("${fileIn(body).name}", "rb"), "${fileIn(body).type}")}`,
        ]
      : []),
    ...(!isForm && body !== undefined ? [`json=${indent(literal(body, PYTHON))}`] : []),
  ]
  return [
    'import os',
    ...(hasIdempotencyKey ? ['import uuid'] : []),
    '',
    'import requests',
    '',
    `reply = requests.${method.toLowerCase()}(`,
    ...parts.map((part) => `  ${part},`),
    ')',
    'reply.raise_for_status()',
    'print(reply.text)',
  ].join('\n')
}

const flatQuery = (query: Record<string, Value>) =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]),
  )

function php({ method, url, query, body, isForm, hasIdempotencyKey }: SampleCall): string {
  const headers = [
    `'Authorization: Bearer ' . getenv('NEXKIT_KEY')`,
    ...(hasIdempotencyKey ? [`'Idempotency-Key: ' . bin2hex(random_bytes(16))`] : []),
    ...(body !== undefined && !isForm ? [`'Content-Type: application/json'`] : []),
  ]
  const form = isForm ? formEntries(body) : []
  const fields = form.map(([name, value]) =>
    name === FILE_FIELD
      ? `'file' => new CURLFile('${fileIn(body).name}', '${fileIn(body).type}')`
      : `'${name}' => '${value}'`,
  )
  const payload = isForm ? `[${fields.join(', ')}]` : `json_encode(${indent(literal(body, PHP))})`
  return [
    '<?php',
    `$call = curl_init('${url}${queryText(query)}');`,
    'curl_setopt_array($call, [',
    ...(method === 'GET' ? [] : [`  CURLOPT_CUSTOMREQUEST => '${method}',`]),
    '  CURLOPT_RETURNTRANSFER => true,',
    '  CURLOPT_HTTPHEADER => [',
    ...headers.map((header) => `    ${header},`),
    '  ],',
    ...(body === undefined ? [] : [`  CURLOPT_POSTFIELDS => ${payload},`]),
    ']);',
    'echo curl_exec($call);',
  ].join('\n')
}

/** Four spaces, as both communities write. */
const wideIndent = (code: string) => code.replaceAll(/^ +/gm, (spaces) => spaces + spaces)

const indent = (text: string) => text.replaceAll('\n', '\n  ')

type Notation = {
  text(value: string): string
  member(name: string, value: string): string
  object: [string, string]
  list: [string, string]
  /** How true, false and null are written. */
  words: Record<string, string>
  /** An object without members, where it differs from an empty list. */
  empty: string
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
/** PHP reads no escapes between single quotes. */
const quotedInPhp = (text: string) =>
  text.includes('\n')
    ? JSON.stringify(text).replaceAll('$', '\\$')
    : `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const TYPESCRIPT: Notation = {
  text: quoted,
  member: (name, value) => `${/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name)}: ${value}`,
  object: ['{', '}'],
  list: ['[', ']'],
  words: {},
  empty: '{}',
}
const PYTHON: Notation = {
  text: (text) => JSON.stringify(text),
  member: (name, value) => `${JSON.stringify(name)}: ${value}`,
  object: ['{', '}'],
  list: ['[', ']'],
  words: { true: 'True', false: 'False', null: 'None' },
  empty: '{}',
}
const PHP: Notation = {
  text: quotedInPhp,
  member: (name, value) => `${quotedInPhp(name)} => ${value}`,
  object: ['[', ']'],
  list: ['[', ']'],
  words: {},
  empty: '(object) []',
}

const LINE_MAX = 60

function literal(value: Value, notation: Notation): string {
  if (typeof value === 'string') return notation.text(value)
  if (typeof value !== 'object' || value === null) return notation.words[String(value)] ?? String(value)
  const isList = Array.isArray(value)
  const parts = isList
    ? value.map((entry) => literal(entry, notation))
    : Object.entries(value).map(([name, entry]) => notation.member(name, literal(entry, notation)))
  const [open, close] = isList ? notation.list : notation.object
  if (parts.length === 0) return isList ? `${open}${close}` : notation.empty
  const line = parts.join(', ')
  const gap = open === '{' && notation === TYPESCRIPT ? ' ' : ''
  if (line.length <= LINE_MAX && !line.includes('\n')) return `${open}${gap}${line}${gap}${close}`
  return `${open}\n${parts.map((part) => `  ${indent(part)},`).join('\n')}\n${close}`
}
