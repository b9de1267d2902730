import { Counter, Gauge, Registry } from 'prom-client'

/**
 * Counters for Prometheus. Names say what and in which unit; labels are few and bounded (operation ids, status codes),
 * never ids or addresses.
 */
export type Metrics = {
  registry: Registry
  requestFinished(route: string, status: number, durationMs: number): void
  /** A figure that somebody else keeps; read when asked for. */
  gauge(name: string, help: string, read: () => number): void
  counter(name: string, help: string, read: () => number): void
  text(): Promise<string>
}

const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** Counted for every request, so kept as plain numbers and handed to Prometheus only when it asks. */
type RouteFigures = { statuses: Map<number, number>; buckets: number[]; sumSeconds: number; count: number }

function createRequestFigures(registry: Registry) {
  const routes = new Map<string, RouteFigures>()
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
  registry.registerMetric(durationMetric(routes) as never)
  return (route: string, status: number, durationMs: number) => {
    let figures = routes.get(route)
    if (figures === undefined) {
      figures = { statuses: new Map(), buckets: DURATION_BUCKETS_SECONDS.map(() => 0), sumSeconds: 0, count: 0 }
      routes.set(route, figures)
    }
    figures.statuses.set(status, (figures.statuses.get(status) ?? 0) + 1)
    const seconds = durationMs / 1000
    let bucket = 0
    while (seconds > (DURATION_BUCKETS_SECONDS[bucket] as number)) bucket += 1
    if (bucket < figures.buckets.length) figures.buckets[bucket] = (figures.buckets[bucket] as number) + 1
    figures.sumSeconds += seconds
    figures.count += 1
  }
}

/** A histogram in the form in which the registry reads any metric; its own class would sort labels on every observation. */
function durationMetric(routes: Map<string, RouteFigures>) {
  const name = 'nexkit_http_request_duration_seconds'
  const get = async () => ({
    name,
    help: 'Time to answer by operation',
    type: 'histogram',
    aggregator: 'sum',
    values: [...routes].flatMap(([route, figures]) => {
      let below = 0
      const buckets = DURATION_BUCKETS_SECONDS.map((le, index) => {
        below += figures.buckets[index] as number
        return { metricName: `${name}_bucket`, labels: { route, le }, value: below }
      })
      return [
        ...buckets,
        { metricName: `${name}_bucket`, labels: { route, le: '+Inf' }, value: figures.count },
        { metricName: `${name}_sum`, labels: { route }, value: figures.sumSeconds },
        { metricName: `${name}_count`, labels: { route }, value: figures.count },
      ]
    }),
  })
  return { name, get, reset: () => routes.clear() }
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const requestFinished = createRequestFigures(registry)
  const started = Date.now() / 1000
  const metrics: Metrics = {
    registry,
    requestFinished,
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read())
        },
      })
    },
    counter(name, help, read) {
      new Counter({
        name,
        help,
        registers: [registry],
        collect() {
          this.reset()
          this.inc(read())
        },
      })
    },
    text: () => registry.metrics(),
  }
  metrics.gauge('process_resident_memory_bytes', 'Resident memory of this process', () => process.memoryUsage().rss)
  metrics.gauge('process_start_time_seconds', 'When this process started, in Unix seconds', () => started)
  metrics.counter('process_cpu_seconds_total', 'User and system time spent', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  return metrics
}
