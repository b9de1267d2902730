import { Counter, Registry } from 'prom-client'
import { Histogram } from './histogram.ts'

/**
 * Figures for Prometheus. Names say what and in which unit; labels are few and bounded (operation ids, status codes), never
 * addresses, and ids only of the few things that stand out at the moment.
 */
export type Metrics = {
  registry: Registry
  requestFinished(route: string, status: number, durationMs: number): void
  add(figure: Figure): void
  gauge(name: string, help: string, read: ReadNumber): void
  counter(name: string, help: string, read: ReadNumber): void
  text(): Promise<string>
}

/** Null when it is not known now: better no sample than a false one. */
export type ReadNumber = () => number | null | Promise<number | null>

export type LabelledNumber = { labels: Record<string, string>; value: number }

/** A figure that somebody else keeps; read when asked for. */
export type Figure = { name: string; help: string } & (
  | { kind: 'gauge' | 'counter'; read: ReadNumber }
  | { kind: 'gauges'; read: () => Promise<LabelledNumber[] | null> }
  | { kind: 'histogram'; read: () => Histogram }
)

const DURATION_BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** Counted for every request, so kept as plain numbers and handed to Prometheus only when it asks. */
type RouteFigures = { statuses: Map<number, number>; durations: Histogram }

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
  const name = 'nexkit_http_request_duration_seconds'
  register(registry, { name, help: 'Time to answer by operation', kind: 'histogram' }, () =>
    [...routes].flatMap(([route, { durations }]) => durations.samples(name, { route })),
  )
  return (route: string, status: number, durationMs: number) => {
    let figures = routes.get(route)
    if (figures === undefined) {
      figures = { statuses: new Map(), durations: new Histogram(DURATION_BOUNDS_SECONDS) }
      routes.set(route, figures)
    }
    figures.statuses.set(status, (figures.statuses.get(status) ?? 0) + 1)
    figures.durations.observe(durationMs / 1000)
  }
}

type Sample = { metricName?: string; labels: Record<string, string>; value: number }

/** In the form in which the registry reads any metric; the classes of the library keep a value, which ours must not. */
function register(
  registry: Registry,
  { name, help, kind }: { name: string; help: string; kind: 'gauge' | 'counter' | 'histogram' },
  sample: () => Sample[] | Promise<Sample[]>,
): void {
  const get = async () => ({ name, help, type: kind, aggregator: 'sum', values: await sample() })
  registry.registerMetric({ name, get, reset() {} } as never)
}

function addFigure(registry: Registry, figure: Figure): void {
  const { name, help, kind } = figure
  register(registry, { name, help, kind: kind === 'gauges' ? 'gauge' : kind }, () => samplesFor(figure))
}

async function samplesFor(figure: Figure): Promise<Sample[]> {
  switch (figure.kind) {
    case 'histogram':
      return figure.read().samples(figure.name)
    case 'gauges':
      return (await figure.read()) ?? []
    default:
      return samplesOf(await figure.read())
  }
}

const samplesOf = (value: number | null): Sample[] => (value === null ? [] : [{ labels: {}, value }])

export function createMetrics(): Metrics {
  const registry = new Registry()
  const requestFinished = createRequestFigures(registry)
  const started = Date.now() / 1000
  const add = (figure: Figure) => addFigure(registry, figure)
  const metrics: Metrics = {
    registry,
    requestFinished,
    add,
    gauge: (name, help, read) => add({ kind: 'gauge', name, help, read }),
    counter: (name, help, read) => add({ kind: 'counter', name, help, read }),
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
