import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { traceWith } from './spans.ts'
import type { ExportCounts, PrometheusMetric, TelemetrySettings } from './telemetry-settings.ts'

/**
 * Traces and metrics for an OpenTelemetry collector. Off unless an endpoint is set, and then no package of OpenTelemetry is loaded.
 *
 * An export never holds up a request: spans wait in a bounded queue, and what does not fit or cannot be sent is dropped and counted.
 */
export type TelemetryOptions = {
  settings: TelemetrySettings | null
  log: Log
  version: string
  processId: string
  metrics: Metrics
}

export type Telemetry = {
  start(): Promise<void>
  /** Sends what waits, for a limited time. */
  stop(): Promise<void>
}

/** Part of the drain of a process: a collector that hangs does not hold it up for longer. */
const FLUSH_MS = 2_000

export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { settings, metrics } = options
  const counts: ExportCounts = { spansWaiting: 0, spansExported: 0, spansDropped: 0, metricExportsFailed: 0 }
  addExportMetrics(metrics, settings === null ? null : counts)
  let close: (() => Promise<void>) | null = null
  return {
    async start() {
      if (settings === null) return
      const { openOtlp } = await import('./otlp.ts')
      const readMetrics = async () => (await metrics.registry.getMetricsAsJSON()) as unknown as PrometheusMetric[]
      const otlp = openOtlp({ ...options, settings, counts, readMetrics })
      traceWith(otlp.startSpan)
      close = otlp.close
    },
    async stop() {
      if (close === null) return
      traceWith(null)
      await Promise.race([close(), pause(FLUSH_MS, undefined, { ref: false })])
      close = null
    },
  }
}

/** Unknown while nothing is exported: a 0 would look as if something were. */
function addExportMetrics(metrics: Metrics, counts: ExportCounts | null): void {
  metrics.gauge('nexkit_telemetry_spans_waiting', 'Spans waiting to be exported', () => counts?.spansWaiting ?? null)
  metrics.counter('nexkit_telemetry_spans_exported_total', 'Exported spans', () => counts?.spansExported ?? null)
  metrics.counter(
    'nexkit_telemetry_spans_dropped_total',
    'Spans dropped because the queue was full or the collector did not take them',
    () => counts?.spansDropped ?? null,
  )
  metrics.counter(
    'nexkit_telemetry_metric_exports_failed_total',
    'Exports of metrics that the collector did not take',
    () => counts?.metricExportsFailed ?? null,
  )
}
