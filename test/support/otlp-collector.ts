import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A collector on loopback that takes OTLP over HTTP, in protobuf, and keeps what the tests look at. */
export type CollectedSpan = {
  traceId: string
  id: string
  parentId: string
  name: string
  kind: string
  attributes: Record<string, string>
  links: string[]
  isFailed: boolean
  /** The process that it is from. */
  instance: string
}

export type OtlpCollector = {
  url: string
  spans: CollectedSpan[]
  /** Names of the metrics that arrived. */
  metrics: Set<string>
  headers: Record<string, string | string[] | undefined>[]
  /** All bodies as text: what must not leave the server is looked for in them. */
  text(): string
  stop(): void
}

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const bodies: Buffer[] = []
  const spans: CollectedSpan[] = []
  const metrics = new Set<string>()
  const headers: OtlpCollector['headers'] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    bodies.push(body)
    headers.push(request.headers)
    if (request.url === '/v1/traces') spans.push(...readSpans(body))
    if (request.url === '/v1/metrics') for (const name of readMetricNames(body)) metrics.add(name)
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics,
    headers,
    text: () => Buffer.concat(bodies).toString('latin1'),
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The fields of one message: numbers as they are, everything else as bytes. */
type Fields = Map<number, (Buffer | number)[]>

function readFields(bytes: Buffer): Fields {
  const fields: Fields = new Map()
  let at = 0
  const varint = () => {
    let [value, scale] = [0, 1]
    for (;;) {
      const byte = bytes[at++] ?? 0
      value += (byte & 127) * scale
      scale *= 128
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const tag = varint()
    const [field, wire] = [Math.floor(tag / 8), tag % 8]
    const length = wire === 2 ? varint() : wire === 1 ? 8 : wire === 5 ? 4 : 0
    const value = wire === 0 ? varint() : bytes.subarray(at, at + length)
    at += length
    fields.set(field, [...(fields.get(field) ?? []), value])
  }
  return fields
}

const partsOf = (fields: Fields, field: number): Fields[] =>
  (fields.get(field) ?? []).map((value) => readFields(value as Buffer))
const textOf = (fields: Fields, field: number): string => String(fields.get(field)?.[0] ?? '')
const hexOf = (fields: Fields, field: number): string =>
  ((fields.get(field)?.[0] as Buffer | undefined) ?? Buffer.alloc(0)).toString('hex')

/** KeyValue: key 1, value 2 (string 1, bool 2, int 3). */
const attributesOf = (fields: Fields, field: number): Record<string, string> =>
  Object.fromEntries(
    partsOf(fields, field).map((pair) => {
      const [value] = partsOf(pair, 2)
      return [textOf(pair, 1), [1, 2, 3].map((kind) => textOf(value ?? new Map(), kind)).join('')]
    }),
  )

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer']

/** ExportTraceServiceRequest → ResourceSpans 1 → Resource 1, ScopeSpans 2 → Span 2. */
const readSpans = (body: Buffer): CollectedSpan[] =>
  partsOf(readFields(body), 1).flatMap((resourceSpans) => {
    const [resource] = partsOf(resourceSpans, 1)
    const instance = attributesOf(resource ?? new Map(), 1)['service.instance.id'] ?? ''
    return partsOf(resourceSpans, 2).flatMap((scope) =>
      partsOf(scope, 2).map((span) => ({
        traceId: hexOf(span, 1),
        id: hexOf(span, 2),
        parentId: hexOf(span, 4),
        name: textOf(span, 5),
        kind: KINDS[Number(textOf(span, 6))] ?? '',
        attributes: attributesOf(span, 9),
        links: partsOf(span, 13).map((link) => hexOf(link, 2)),
        isFailed: partsOf(span, 15).some((status) => textOf(status, 3) === '2'),
        instance,
      })),
    )
  })

/** ExportMetricsServiceRequest → ResourceMetrics 1 → ScopeMetrics 2 → Metric 2 → name 1. */
const readMetricNames = (body: Buffer): string[] =>
  partsOf(readFields(body), 1).flatMap((resource) =>
    partsOf(resource, 2).flatMap((scope) => partsOf(scope, 2).map((metric) => textOf(metric, 1))),
  )
