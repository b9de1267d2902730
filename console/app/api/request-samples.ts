/** One API request as code that repeats it. The token is a placeholder, because tokens are not stored, and so is a body that was cut. */
export type SampleRequest = {
  method: string
  url: string
  body: string | null
  isCut?: boolean
  idempotencyKey?: string | null
}

/** As one word of a shell, whatever is in it: a path comes from the caller, and may hold anything. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

export function curlSample({ method, url, body, isCut = false, idempotencyKey = null }: SampleRequest): string {
  // Else curl asks for everything that brackets and braces could mean.
  const asItIs = /[[\]{}]/.test(url) ? '-g ' : ''
  const lines = [`curl ${asItIs}-X ${method} ${quoted(url)}`, '-H "Authorization: Bearer $NEXKIT_KEY"']
  if (idempotencyKey !== null) lines.push(`-H ${quoted(`Idempotency-Key: ${idempotencyKey}`)}`)
  // Not -d for what a caller sent: it takes a body that begins with @ for the name of a file to read.
  const data = isCut ? '-d @body.json' : `--data-raw ${quoted(body ?? '')}`
  if (body !== null) lines.push("-H 'Content-Type: application/json'", data)
  return lines.join(' \\\n  ')
}

function headersOf({ body, idempotencyKey = null }: SampleRequest): [name: string, value: string][] {
  return [
    ...(idempotencyKey === null ? [] : [['Idempotency-Key', idempotencyKey] as [string, string]]),
    ...(body === null ? [] : [['Content-Type', 'application/json'] as [string, string]]),
  ]
}

function typeScriptSample(request: SampleRequest): string {
  const { method, url, body, isCut } = request
  const file = isCut ? "import { readFile } from 'node:fs/promises'\n\n" : ''
  const content = isCut ? "await readFile('body.json')" : JSON.stringify(body)
  const headers = headersOf(request).map(([name, value]) => `    '${name}': ${JSON.stringify(value)},\n`)
  return `${file}const response = await fetch(${JSON.stringify(url)}, {
  method: '${method}',
  headers: {
    Authorization: \`Bearer \${process.env.NEXKIT_KEY}\`,
${headers.join('')}  },
${body === null ? '' : `  body: ${content},\n`}})
console.log(response.status, await response.json())`
}

/** A string of JSON is one of Python too, but for what JSON leaves as it is: nothing that a quoted string cannot hold. */
function pythonSample(request: SampleRequest): string {
  const { method, url, body, isCut } = request
  const content = isCut ? 'open("body.json", "rb")' : `${JSON.stringify(body)}.encode()`
  const headers = headersOf(request).map(([name, value]) => `        "${name}": ${JSON.stringify(value)},\n`)
  return `import os
import requests

response = requests.request(
    "${method}",
    ${JSON.stringify(url)},
    headers={
        "Authorization": f"Bearer {os.environ['NEXKIT_KEY']}",
${headers.join('')}    },
${body === null ? '' : `    data=${content},\n`})
print(response.status_code, response.json())`
}

const phpText = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function phpSample(request: SampleRequest): string {
  const { method, url, body, isCut } = request
  const content = isCut ? "file_get_contents('body.json')" : phpText(body ?? '')
  const headers = headersOf(request).map(([name, value]) => `    ${phpText(`${name}: ${value}`)},\n`)
  return `<?php
$call = curl_init(${phpText(url)});
curl_setopt_array($call, [
  CURLOPT_CUSTOMREQUEST => '${method}',
  CURLOPT_RETURNTRANSFER => true,
  CURLOPT_HTTPHEADER => [
    'Authorization: Bearer ' . getenv('NEXKIT_KEY'),
${headers.join('')}  ],
${body === null ? '' : `  CURLOPT_POSTFIELDS => ${content},\n`}]);
echo curl_exec($call);`
}

export const requestSamples = (request: SampleRequest) => [
  { label: 'curl', text: curlSample(request) },
  { label: 'TypeScript', text: typeScriptSample(request) },
  { label: 'Python', text: pythonSample(request) },
  { label: 'PHP', text: phpSample(request) },
]
