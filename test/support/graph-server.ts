import { createHash, createHmac, randomBytes } from 'node:crypto'
import net, { type AddressInfo, type Socket } from 'node:net'

/**
 * Meta's Graph, as far as the connector meets it: sending, reading, media and templates, on loopback and at the level of
 * bytes, so that it can fail as the real one does. It remembers what it accepted, which is what customers would have
 * received. Its own failures are asked for by `failNext`.
 */
export type GraphServer = {
  url: string
  /** The accepted messages, which a customer would have received, in order. */
  accepted: AcceptedMessage[]
  /** Every request, whatever its outcome. */
  requests: GraphRequest[]
  uploads: Map<string, { mimeType: string; filename: string; bytes: Uint8Array }>
  templates: Record<string, unknown>[]
  /** The next requests fail in these ways, one each. Null lets one pass. */
  failNext(...failures: (GraphFailure | null)[]): void
  /** Fails every request for which this gives a failure. */
  failWhen: ((request: GraphRequest) => GraphFailure | null) | null
  /** A file that a customer sent. */
  addMedia(file: { bytes: Uint8Array; mimeType: string; host?: string; sha256?: string }): string
  stop(): void
}

export type AcceptedMessage = { id: string; body: Record<string, unknown> }

export type GraphRequest = {
  method: string
  path: string
  query: URLSearchParams
  headers: Record<string, string>
  body: Buffer
  json: Record<string, unknown> | null
}

export type GraphFailure =
  /** An error body of Graph. */
  | {
      kind: 'error'
      code: number
      status?: number
      subcode?: number
      details?: string
      headers?: Record<string, string>
    }
  /** Any answer at all. */
  | { kind: 'answer'; status: number; body: string; headers?: Record<string, string> }
  /** Never answers; before that the message is accepted, or not. */
  | { kind: 'hang'; isAccepted: boolean }
  | { kind: 'reset'; isAccepted: boolean }
  /** Answers as it should, but cuts the connection in the middle of the body, or sends a byte now and then. */
  | { kind: 'cut' }
  | { kind: 'slow'; everyMs: number }

export const GRAPH_TOKEN = 'EAAtestaccesstoken0123456789'

export async function startGraphServer(): Promise<GraphServer> {
  const sockets = new Set<Socket>()
  const pending: (GraphFailure | null)[] = []
  const media = new Map<string, { bytes: Uint8Array; mimeType: string; host?: string; sha256?: string }>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    onRequest(socket, (request) => {
      graph.requests.push(request)
      const failure = graph.failWhen?.(request) ?? pending.shift() ?? null
      if (failure === null) socket.write(render(answer(request)))
      else fail(socket, request, failure)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const graph: GraphServer = {
    url,
    accepted: [],
    requests: [],
    uploads: new Map(),
    templates: [],
    failNext: (...failures) => void pending.push(...failures),
    failWhen: null,
    addMedia(file) {
      const id = String(100_000_000_000_000 + media.size + 1)
      media.set(id, file)
      return id
    },
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }

  const answer = (request: GraphRequest): Answer => {
    if (request.headers.authorization !== `Bearer ${GRAPH_TOKEN}`) return graphError({ code: 190, status: 401 })
    const [, version = '', first = '', second = ''] = request.path.split('/')
    if (first === 'bytes') return fileBytes(second)
    if (!/^v\d+\.\d+$/.test(version)) return graphError({ code: 2500, status: 400 })
    if (second === 'messages') return acceptMessage(request)
    if (second === 'media') return acceptUpload(request)
    if (second === 'message_templates') return templatePage(request)
    if (media.has(first)) return describeFile(first)
    return /^\d+$/.test(first) && !first.startsWith('404')
      ? ok({ id: first })
      : graphError({ code: 100, subcode: 33, status: 400 })
  }

  const acceptMessage = ({ json }: GraphRequest): Answer => {
    if (json?.messaging_product !== 'whatsapp') return graphError({ code: 100, status: 400 })
    if (json.status === 'read') return ok({ success: true })
    if (typeof json.type !== 'string' || json[json.type] === undefined) return graphError({ code: 131008, status: 400 })
    const id = `wamid.${randomBytes(18).toString('base64')}`
    graph.accepted.push({ id, body: json })
    const to = typeof json.to === 'string' ? json.to : null
    const contact =
      to === null ? { input: json.recipient, user_id: json.recipient } : { input: to, wa_id: to.replace(/\D/g, '') }
    return ok({ messaging_product: 'whatsapp', contacts: [contact], messages: [{ id }] })
  }

  const acceptUpload = (request: GraphRequest): Answer => {
    const form = readForm(request)
    if (form === null || form.fields.messaging_product !== 'whatsapp') return graphError({ code: 100, status: 400 })
    const id = String(200_000_000_000_000 + graph.uploads.size + 1)
    graph.uploads.set(id, form.file)
    return ok({ id })
  }

  const templatePage = ({ query }: GraphRequest): Answer => {
    const [limit, after] = [Number(query.get('limit') ?? 25), Number(query.get('after') ?? 0)]
    const data = graph.templates.slice(after, after + limit)
    const next = after + limit < graph.templates.length ? { next: `${url}/elsewhere` } : {}
    return ok({ data, paging: { cursors: { before: String(after), after: String(after + data.length) }, ...next } })
  }

  const describeFile = (id: string): Answer => {
    const file = media.get(id) as NonNullable<ReturnType<typeof media.get>>
    return ok({
      messaging_product: 'whatsapp',
      id,
      url: `${file.host ?? url}/x/bytes/${id}`,
      mime_type: file.mimeType,
      sha256: file.sha256 ?? createHash('sha256').update(file.bytes).digest('hex'),
      file_size: String(file.bytes.byteLength),
    })
  }

  const fileBytes = (id: string): Answer => {
    const file = media.get(id)
    if (file === undefined) return { status: 404, headers: {}, body: Buffer.from('gone') }
    return { status: 200, headers: { 'content-type': file.mimeType }, body: Buffer.from(file.bytes) }
  }

  const fail = (socket: Socket, request: GraphRequest, failure: GraphFailure): void => {
    switch (failure.kind) {
      case 'error':
        socket.write(render(graphError(failure)))
        break
      case 'answer':
        socket.write(render({ ...failure, headers: failure.headers ?? {}, body: Buffer.from(failure.body) }))
        break
      case 'hang':
        if (failure.isAccepted) answer(request)
        break
      case 'reset':
        if (failure.isAccepted) answer(request)
        socket.resetAndDestroy()
        break
      case 'slow':
        trickle(socket, render(answer(request)), failure.everyMs)
        break
      case 'cut':
        socket.write(render(answer(request)).subarray(0, -5), () => socket.destroy())
    }
  }

  return graph
}

type Answer = { status: number; headers: Record<string, string>; body: Buffer }

const ok = (value: unknown): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=UTF-8' },
  body: Buffer.from(JSON.stringify(value)),
})

function graphError(failure: Omit<Extract<GraphFailure, { kind: 'error' }>, 'kind'>): Answer {
  const error = {
    message: `(#${failure.code}) The call was refused`,
    type: 'OAuthException',
    code: failure.code,
    ...(failure.subcode !== undefined && { error_subcode: failure.subcode }),
    ...(failure.details !== undefined && {
      error_data: { messaging_product: 'whatsapp', details: failure.details },
    }),
    fbtrace_id: 'AbCdEfGhIjK',
  }
  const headers = { 'content-type': 'application/json; charset=UTF-8', ...failure.headers }
  return { status: failure.status ?? 400, headers, body: Buffer.from(JSON.stringify({ error })) }
}

function render({ status, headers, body }: Answer): Buffer {
  const lines = Object.entries({ ...headers, 'content-length': String(body.byteLength) })
  const head = `HTTP/1.1 ${status} Status\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

function trickle(socket: Socket, bytes: Buffer, everyMs: number): void {
  let sent = 0
  const timer = setInterval(() => {
    if (sent >= bytes.length || socket.destroyed) return clearInterval(timer)
    socket.write(bytes.subarray(sent, sent + 1))
    sent += 1
  }, everyMs)
}

function onRequest(socket: Socket, handle: (request: GraphRequest) => void): void {
  let input = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    input = Buffer.concat([input, chunk])
    for (let taken = takeRequest(input); taken !== null; taken = takeRequest(input)) {
      input = input.subarray(taken.length)
      handle(taken.request)
    }
  })
}

function takeRequest(input: Buffer): { request: GraphRequest; length: number } | null {
  const end = input.indexOf('\r\n\r\n')
  if (end === -1) return null
  const [first = '', ...lines] = input.toString('latin1', 0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const length = end + 4 + Number(headers['content-length'] ?? 0)
  if (input.length < length) return null
  const [method = '', target = ''] = first.split(' ')
  const url = new URL(target, 'http://graph.test')
  const body = Buffer.from(input.subarray(end + 4, length))
  return { request: { method, path: url.pathname, query: url.searchParams, headers, body, json: jsonOf(body) }, length }
}

function jsonOf(body: Buffer): Record<string, unknown> | null {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}

type UploadForm = {
  fields: Record<string, string>
  file: { mimeType: string; filename: string; bytes: Uint8Array }
}

/** Just enough of multipart/form-data to see what was really sent. */
function readForm({ headers, body }: GraphRequest): UploadForm | null {
  const boundary = /boundary="?([^";]+)"?/.exec(headers['content-type'] ?? '')?.[1]
  if (boundary === undefined) return null
  const fields: Record<string, string> = {}
  let file: UploadForm['file'] | null = null
  for (const part of body.toString('latin1').split(`--${boundary}`).slice(1, -1)) {
    const end = part.indexOf('\r\n\r\n')
    const [head, content] = [part.slice(0, end), part.slice(end + 4, -2)]
    const name = /name="([^"]*)"/.exec(head)?.[1] ?? ''
    const filename = /filename="([^"]*)"/.exec(head)?.[1]
    if (filename === undefined) fields[name] = content
    else
      file = {
        mimeType: /content-type: (.*)/i.exec(head)?.[1]?.trim() ?? '',
        filename,
        bytes: Buffer.from(content, 'latin1'),
      }
  }
  return file === null ? null : { fields, file }
}

/** As Meta writes them: everything beyond ASCII, and the at sign, escaped in lower case; signed over these bytes. */
export function signedWebhook(value: unknown, appSecret: string): { body: Uint8Array<ArrayBuffer>; headers: Headers } {
  const text = JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]|@/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const body = new TextEncoder().encode(text)
  return { body, headers: signedHeaders(body, appSecret) }
}

export const signedHeaders = (body: Uint8Array, appSecret: string): Headers =>
  new Headers({
    'content-type': 'application/json',
    'user-agent': 'facebookexternalua',
    'x-hub-signature-256': `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`,
  })

/** One change of one entry, around what it holds. */
export const aBatch = (phoneNumberId: string, value: Record<string, unknown>, field = 'messages') => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '102290129340398',
      changes: [
        {
          field,
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '6221500000', phone_number_id: phoneNumberId },
            ...value,
          },
        },
      ],
    },
  ],
})
