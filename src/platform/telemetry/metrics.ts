import { Counter, Gauge, Histogram, Registry } from 'prom-client'

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

export function createMetrics(): Metrics {
  const registry = new Registry()
  const requests = new Counter({
    name: 'nexkit_http_requests_total',
    help: 'Finished requests by operation and status',
    labelNames: ['route', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'nexkit_http_request_duration_seconds',
    help: 'Time to answer by operation',
    labelNames: ['route'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  })
  const started = Date.now() / 1000
  const metrics: Metrics = {
    registry,
    requestFinished(route, status, durationMs) {
      requests.inc({ route, status })
      durations.observe({ route }, durationMs / 1000)
    },
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
