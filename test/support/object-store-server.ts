import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A bucket on loopback that takes only what is signed as AWS Signature Version 4 says. */
export type ObjectStoreServer = {
  url: string
  objects: Map<string, { bytes: Buffer; mimeType: string }>
  /** Parts of large objects that came. */
  parts: number
  /** Requests that were refused, with the reason. */
  refused: string[]
  stop(): void
}

export type ObjectStoreKeys = { accessKeyId: string; secretAccessKey: string; region: string; bucket: string }

export async function startObjectStore(keys: ObjectStoreKeys): Promise<ObjectStoreServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => handle(request, response, Buffer.concat(chunks)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const store: ObjectStoreServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects: new Map(),
    parts: 0,
    refused: [],
    stop: () => void server.close(),
  }

  const handle = (request: IncomingMessage, response: ServerResponse, body: Buffer) => {
    const problem = signatureProblem(request, body, keys)
    if (problem !== null) {
      store.refused.push(problem)
      return send(response, 403, xml('SignatureDoesNotMatch', problem))
    }
    const url = new URL(request.url ?? '', store.url)
    const path = decodeURIComponent(url.pathname)
    if (!path.startsWith(`/${keys.bucket}/`)) return send(response, 404, xml('NoSuchBucket', path))
    const name = path.slice(keys.bucket.length + 2)
    if (url.searchParams.has('uploads') || url.searchParams.has('uploadId'))
      return answerPart(request, response, { name, body, query: url.searchParams })
    answer(request, response, { name, body })
  }

  /** Large objects: begun, sent in parts, and put together at the end. */
  const uploads = new Map<string, { parts: Map<number, Buffer>; mimeType: string }>()
  const answerPart = (
    { method, headers }: IncomingMessage,
    response: ServerResponse,
    { name, body, query }: { name: string; body: Buffer; query: URLSearchParams },
  ) => {
    const id = query.get('uploadId') ?? `upload-${uploads.size + 1}`
    const upload = uploads.get(id) ?? { parts: new Map(), mimeType: String(headers['content-type'] ?? '') }
    uploads.set(id, upload)
    if (query.has('uploads'))
      return send(
        response,
        200,
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      )
    if (method === 'PUT') {
      store.parts += 1
      upload.parts.set(Number(query.get('partNumber')), body)
      return send(response, 200, '', { etag: '"x"' })
    }
    uploads.delete(id)
    const parts = [...upload.parts].toSorted(([one], [other]) => one - other).map(([, part]) => part)
    if (method === 'POST') store.objects.set(name, { bytes: Buffer.concat(parts), mimeType: upload.mimeType })
    send(response, 200, `<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>`)
  }

  const answer = (
    { method, headers }: IncomingMessage,
    response: ServerResponse,
    { name, body }: { name: string; body: Buffer },
  ) => {
    const found = store.objects.get(name)
    if (method === 'PUT') {
      store.objects.set(name, { bytes: body, mimeType: String(headers['content-type'] ?? '') })
      return send(response, 200, '', { etag: '"x"' })
    }
    if (method === 'DELETE') {
      store.objects.delete(name)
      return send(response, 204, '')
    }
    if (found === undefined) return send(response, 404, method === 'HEAD' ? '' : xml('NoSuchKey', name))
    send(response, 200, method === 'HEAD' ? '' : found.bytes, {
      'content-length': String(found.bytes.length),
      etag: '"x"',
    })
  }
  return store
}

const xml = (code: string, message: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`

function send(response: ServerResponse, status: number, body: string | Buffer, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/xml', ...headers })
  response.end(body)
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/
const CLOCK_SKEW_MS = 15 * 60_000

/** Null when the signature is right. */
function signatureProblem(request: IncomingMessage, body: Buffer, keys: ObjectStoreKeys): string | null {
  const match = AUTHORIZATION.exec(request.headers.authorization ?? '')
  if (match === null) return 'there is no signature'
  const [, accessKeyId, day = '', region = '', signedNames = '', signature] = match
  if (accessKeyId !== keys.accessKeyId || region !== keys.region) return 'another key or region'
  const time = String(request.headers['x-amz-date'] ?? '')
  const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!(Math.abs(at - Date.now()) < CLOCK_SKEW_MS) || !time.startsWith(day)) return 'the time is wrong'
  const payloadHash = String(request.headers['x-amz-content-sha256'] ?? '')
  if (payloadHash !== 'UNSIGNED-PAYLOAD' && payloadHash !== sha256(body)) return 'the body is another'
  const scope = `${day}/${region}/s3/aws4_request`
  const canonical = canonicalRequest(request, signedNames.split(';'), payloadHash)
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(Buffer.from(canonical))].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${keys.secretAccessKey}`,
  )
  return createHmac('sha256', key).update(text).digest('hex') === signature ? null : 'the signature is wrong'
}

function canonicalRequest(request: IncomingMessage, names: string[], payloadHash: string): string {
  const url = new URL(request.url ?? '', 'http://store.test')
  const query = [...url.searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .toSorted()
    .join('&')
  const headers = names.map((name) => `${name}:${String(request.headers[name] ?? '').trim()}\n`).join('')
  return [request.method, url.pathname, query, headers, names.join(';'), payloadHash].join('\n')
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
