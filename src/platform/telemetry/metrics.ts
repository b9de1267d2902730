import { Counter, Registry } from 'prom-client'
import { Histogram } from './histogram.ts'

/**
 * Metrics for Prometheus. A name states the quantity and its unit. Labels are few and bounded (operation ids, status codes):
 * they never hold addresses, and they hold ids only for a bounded number of outliers, such as the busiest lanes.
 */
export type Metrics = {
  registry: Registry
  requestFinished(route: string, status: number, durationMs: number): void
  add(metric: Metric): void
  gauge(name: string, help: string, read: ReadNumber): void
  counter(name: string, help: string, read: ReadNumber): void
  text(): Promise<string>
}

/** Returns null while the value is unknown: a missing sample is better than a wrong one. */
export type ReadNumber = () => number | null | Promise<number | null>

export type LabelledNumber = { labels: Record<string, string>; value: number }

/** A metric whose value its owner keeps; a scrape reads it. */
export type Metric = { name: string; help: string } & (
  | { kind: 'gauge' | 'counter'; read: ReadNumber }
  | { kind: 'gauges'; read: () => Promise<LabelledNumber[] | null> }
  | { kind: 'histogram'; read: () => Histogram }
)

const DURATION_BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** Every request updates these, so they are plain numbers that a scrape converts. */
type RouteMetrics = { statuses: Map<number, number>; durations: Histogram }

function createRequestMetrics(registry: Registry) {
  const routes = new Map<string, RouteMetrics>()
  new Counter({
    name: 'nexkit_http_requests_total',
    help: 'Finished requests by operation and status',
    labelNames: ['route', 'status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [route, { statuses }] of routes)
        for (const [status, count] of statuses) this.inc({ route, status }, count)
    },
  })
  const name = 'nexkit_http_request_duration_seconds'
  register(registry, { name, help: 'Response time by operation', kind: 'histogram' }, () =>
    [...routes].flatMap(([route, { durations }]) => durations.samples(name, { route })),
  )
  return (route: string, status: number, durationMs: number) => {
    let metrics = routes.get(route)
    if (metrics === undefined) {
      metrics = { statuses: new Map(), durations: new Histogram(DURATION_BOUNDS_SECONDS) }
      routes.set(route, metrics)
    }
    metrics.statuses.set(status, (metrics.statuses.get(status) ?? 0) + 1)
    metrics.durations.observe(durationMs / 1000)
  }
}

type Sample = { metricName?: string; labels: Record<string, string>; value: number }

/** Registers a metric that computes its samples per scrape. The classes of the library are not used because they store a value. */
function register(
  registry: Registry,
  { name, help, kind }: { name: string; help: string; kind: 'gauge' | 'counter' | 'histogram' },
  sample: () => Sample[] | Promise<Sample[]>,
): void {
  const get = async () => ({ name, help, type: kind, aggregator: 'sum', values: await sample() })
  registry.registerMetric({ name, get, reset() {} } as never)
}

function addMetric(registry: Registry, metric: Metric): void {
  const { name, help, kind } = metric
  register(registry, { name, help, kind: kind === 'gauges' ? 'gauge' : kind }, () => samplesFor(metric))
}

async function samplesFor(metric: Metric): Promise<Sample[]> {
  switch (metric.kind) {
    case 'histogram':
      return metric.read().samples(metric.name)
    case 'gauges':
      return (await metric.read()) ?? []
    default:
      return samplesOf(await metric.read())
  }
}

const samplesOf = (value: number | null): Sample[] => (value === null ? [] : [{ labels: {}, value }])

export function createMetrics(): Metrics {
  const registry = new Registry()
  const requestFinished = createRequestMetrics(registry)
  const started = Date.now() / 1000
  const add = (metric: Metric) => addMetric(registry, metric)
  const metrics: Metrics = {
    registry,
    requestFinished,
    add,
    gauge: (name, help, read) => add({ kind: 'gauge', name, help, read }),
    counter: (name, help, read) => add({ kind: 'counter', name, help, read }),
    text: () => registry.metrics(),
  }
  metrics.gauge('process_resident_memory_bytes', 'Resident memory of this process', () => process.memoryUsage().rss)
  metrics.gauge('process_start_time_seconds', 'Start time of this process, in Unix seconds', () => started)
  metrics.counter('process_cpu_seconds_total', 'Processor time of this process, user and system', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  return metrics
}
