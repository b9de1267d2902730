import {
  type Attributes,
  type Context,
  type HrTime,
  SpanKind as OtelKind,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanStatusCode,
  TraceFlags,
  trace,
  ValueType,
} from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { messageOf } from '../../kernel/errors.ts'
import type { Log } from './log.ts'
import type { Span, SpanAttributes, SpanKind, SpanStart, StartSpan } from './spans.ts'
import type { ExportCounts, PrometheusMetric, TelemetrySettings } from './telemetry-settings.ts'
import { traceIdOf } from './traces.ts'

/**
 * Traces and metrics by OTLP, with the packages of OpenTelemetry. Only telemetry.ts loads this file, and only when it is turned on.
 *
 * Nothing here is registered as the global tracer or meter: a library that looks for one would add its spans, with whatever
 * it puts into them.
 */
export type OtlpOptions = {
  settings: TelemetrySettings
  log: Log
  version: string
  processId: string
  counts: ExportCounts
  /** The metrics of /metrics, read anew for each export. */
  readMetrics: () => Promise<PrometheusMetric[]>
}

export type Otlp = {
  /** Null when no traces are exported. */
  startSpan: StartSpan | null
  /** Sends what waits. */
  close(): Promise<void>
}

export function openOtlp(options: OtlpOptions): Otlp {
  const { settings, version } = options
  const resource = resourceFromAttributes({
    'service.name': settings.serviceName,
    'service.version': version,
    'service.instance.id': options.processId,
    ...settings.resourceAttributes,
  })
  const watch = createExportWatch(options)
  const tracers = settings.exportsTraces ? openTracers(options, resource, watch) : null
  const meters = settings.exportsMetrics ? openMeters(options, resource, watch) : null
  return {
    startSpan: tracers === null ? null : startSpanWith(tracers.provider.getTracer('nexkit', version)),
    async close() {
      await Promise.allSettled([tracers?.provider.shutdown(), meters?.shutdown()])
    },
  }
}

/** Of the queue that spans wait in. More are dropped, and counted. */
const SPANS_WAITING_MAX = 4096
const SPANS_PER_EXPORT_MAX = 512
const SPANS_EXPORT_MS = 2_000

function openTracers({ settings, counts }: OtlpOptions, resource: Resource, watch: ExportWatch) {
  const exporter = new OTLPTraceExporter({
    url: `${settings.endpoint}/v1/traces`,
    headers: { ...settings.headers },
    timeoutMillis: settings.timeoutMs,
  })
  const processor = new BatchSpanProcessor({
    exporter: watchedExporter(exporter, counts, watch),
    maxQueueSize: SPANS_WAITING_MAX,
    maxExportBatchSize: SPANS_PER_EXPORT_MAX,
    scheduledDelayMillis: SPANS_EXPORT_MS,
    exportTimeoutMillis: settings.timeoutMs + EXPORT_LEEWAY_MS,
  })
  // The processor drops what does not fit without counting it, so spans are counted before it.
  const counted = {
    onStart: () => {},
    onEnd(span: ReadableSpan) {
      if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return
      if (counts.spansWaiting >= SPANS_WAITING_MAX) {
        counts.spansDropped += 1
        return
      }
      counts.spansWaiting += 1
      processor.onEnd(span)
    },
    forceFlush: () => processor.forceFlush(),
    shutdown: () => processor.shutdown(),
  }
  const provider = new TracerProvider({ resource, sampler: samplerOf(settings), spanProcessors: [counted] })
  return { provider }
}

const EXPORT_LEEWAY_MS = 1_000

/** `waiting` are those that no export has taken yet. */
const watchedExporter = (exporter: OTLPTraceExporter, counts: ExportCounts, watch: ExportWatch): SpanExporter => ({
  export(spans, onResult) {
    counts.spansWaiting -= spans.length
    exporter.export(spans, (result) => {
      const isExported = result.code === 0
      if (isExported) counts.spansExported += spans.length
      else counts.spansDropped += spans.length
      watch(isExported ? null : (result.error ?? new Error('the export failed')))
      onResult(result)
    })
  },
  forceFlush: () => exporter.forceFlush(),
  shutdown: () => exporter.shutdown(),
})

/** Logs when exports begin to fail and when they work again, not each of them. */
type ExportWatch = (error: Error | null) => void

function createExportWatch({ log, settings }: OtlpOptions): ExportWatch {
  let isFailing = false
  return (error) => {
    if (error !== null && !isFailing)
      log.warn(
        { endpoint: settings.endpoint, reason: messageOf(error) },
        'traces and metrics cannot be exported; what does not fit the queue is dropped until they can',
      )
    if (error === null && isFailing) log.info({ endpoint: settings.endpoint }, 'traces and metrics are exported again')
    isFailing = error !== null
  }
}

function samplerOf({ sampler: { name, ratio } }: TelemetrySettings): Sampler {
  const [isParentBased, root] = name.startsWith('parentbased_') ? [true, name.slice(12)] : [false, name]
  const sampler =
    root === 'always_on'
      ? new AlwaysOnSampler()
      : root === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio)
  return isParentBased ? new ParentBasedSampler({ root: sampler }) : sampler
}

const KINDS: Record<SpanKind, OtelKind> = {
  internal: OtelKind.INTERNAL,
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  producer: OtelKind.PRODUCER,
  consumer: OtelKind.CONSUMER,
}

/** A link to a span of another trace says nothing about the sampling of either. */
const LINKS_MAX = 100

type OtelTracer = ReturnType<TracerProvider['getTracer']>

const startSpanWith =
  (tracer: OtelTracer): StartSpan =>
  (name, { kind, parent, attributes }: SpanStart): Span =>
    new ExportedSpan(
      tracer.startSpan(name, { kind: KINDS[kind], ...(attributes && { attributes }) }, contextOf(parent)),
    )

function contextOf(parent: Span | string | null): Context {
  if (parent === null) return ROOT_CONTEXT
  if (parent instanceof ExportedSpan) return trace.setSpan(ROOT_CONTEXT, parent.span)
  return trace.setSpanContext(ROOT_CONTEXT, spanContextOf(typeof parent === 'string' ? parent : parent.traceparent))
}

const SPAN_ID_AT = 36
const FLAGS_AT = 53

const spanContextOf = (traceparent: string): SpanContext => ({
  traceId: traceIdOf(traceparent),
  spanId: traceparent.slice(SPAN_ID_AT, FLAGS_AT - 1),
  traceFlags: Number.parseInt(traceparent.slice(FLAGS_AT), 16) & TraceFlags.SAMPLED,
  isRemote: true,
})

class ExportedSpan implements Span {
  readonly span: OtelSpan
  readonly traceparent: string
  isEnded = false
  #links = 0

  constructor(span: OtelSpan) {
    this.span = span
    const { traceId, spanId, traceFlags } = span.spanContext()
    this.traceparent = `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0')}`
  }

  describe(attributes: SpanAttributes): void {
    this.span.setAttributes(attributes)
  }

  link(traceparent: string): void {
    this.#links += 1
    if (this.#links <= LINKS_MAX) this.span.addLink({ context: spanContextOf(traceparent) })
  }

  fail(reason: string): void {
    this.span.setStatus({ code: SpanStatusCode.ERROR })
    this.span.setAttribute('error.type', reason)
  }

  end(): void {
    if (this.isEnded) return
    this.isEnded = true
    this.span.end()
  }
}

function openMeters(
  { settings, counts, readMetrics, version }: OtlpOptions,
  resource: Resource,
  watch: ExportWatch,
): MeterProvider {
  const exporter = new OTLPMetricExporter({
    url: `${settings.endpoint}/v1/metrics`,
    headers: { ...settings.headers },
    timeoutMillis: settings.timeoutMs,
  })
  const send = exporter.export.bind(exporter)
  exporter.export = (metrics, onResult) =>
    send(metrics, (result) => {
      const isExported = result.code === 0
      if (!isExported) counts.metricExportsFailed += 1
      watch(isExported ? null : (result.error ?? new Error('the export failed')))
      onResult(result)
    })
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: settings.metricIntervalMs,
    exportTimeoutMillis: Math.min(settings.metricIntervalMs, settings.timeoutMs + EXPORT_LEEWAY_MS),
    metricProducers: [createProducer(readMetrics, { resource, version })],
  })
  return new MeterProvider({ resource, readers: [reader] })
}

function createProducer(
  readMetrics: OtlpOptions['readMetrics'],
  { resource, version }: { resource: Resource; version: string },
): MetricProducer {
  const startTime = hrTimeOf(Date.now())
  return {
    async collect(): Promise<CollectionResult> {
      const times = { startTime, endTime: hrTimeOf(Date.now()) }
      const metrics = (await readMetrics()).map((metric) => metricDataOf(metric, times))
      return {
        resourceMetrics: { resource, scopeMetrics: [{ scope: { name: 'nexkit', version }, metrics }] },
        errors: [],
      }
    },
  }
}

const hrTimeOf = (ms: number): HrTime => [Math.floor(ms / 1000), (ms % 1000) * 1e6]

type Times = { startTime: HrTime; endTime: HrTime }

export function metricDataOf(metric: PrometheusMetric, times: Times): MetricData {
  const { name, help, type, values } = metric
  const about = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  }
  const points = () => values.map(({ labels, value }) => ({ ...times, attributes: attributesOf(labels), value }))
  if (type === 'histogram')
    return { ...about, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramsOf(metric, times) }
  if (type === 'counter') return { ...about, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() }
  return { ...about, dataPointType: DataPointType.GAUGE, dataPoints: points() }
}

const attributesOf = (labels: Record<string, string | number>): Attributes =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]))

/** Buckets of Prometheus hold all below them; those of OpenTelemetry hold what lies between two bounds. */
function histogramsOf({ name, values }: PrometheusMetric, times: Times) {
  const series = Map.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels))
  return [...series].map(([labels, samples]) => {
    const of = (suffix: string) => samples.filter(({ metricName }) => metricName === `${name}_${suffix}`)
    const buckets = of('bucket').toSorted((one, other) => boundOf(one.labels.le) - boundOf(other.labels.le))
    const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0))
    const boundaries = buckets.map((bucket) => boundOf(bucket.labels.le)).filter(Number.isFinite)
    return {
      ...times,
      attributes: attributesOf(JSON.parse(labels)),
      value: { buckets: { boundaries, counts }, sum: of('sum')[0]?.value ?? 0, count: of('count')[0]?.value ?? 0 },
    }
  })
}

const boundOf = (le: string | number | undefined): number => (le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le))
