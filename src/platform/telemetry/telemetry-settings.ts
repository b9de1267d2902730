/** Where traces and metrics go, and which. Read from the environment variables of OpenTelemetry (src/config.ts). */
export type TelemetrySettings = Readonly<{
  /** Without a slash at its end; `/v1/traces` and `/v1/metrics` are below it. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  timeoutMs: number
  serviceName: string
  resourceAttributes: Readonly<Record<string, string>>
  exportsTraces: boolean
  exportsMetrics: boolean
  metricIntervalMs: number
  sampler: { name: SamplerName; ratio: number }
}>

export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export type SamplerName = (typeof samplerNames)[number]

export type ExportCounts = {
  spansWaiting: number
  spansExported: number
  spansDropped: number
  metricExportsFailed: number
}

/** A metric of the registry of /metrics, with its samples. */
export type PrometheusMetric = {
  name: string
  help: string
  type: string
  values: readonly { metricName?: string; labels: Record<string, string | number>; value: number }[]
}
