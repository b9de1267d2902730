import { afterEach, expect, test } from 'bun:test'
import { startOtlpCollector } from '../../../test/support/otlp-collector.ts'
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import { until } from '../../../test/support/until.ts'
import { readConfig } from '../../config.ts'
import { createMetrics } from './metrics.ts'
import { beginSpan, isTracing } from './spans.ts'
import { createTelemetry, type Telemetry } from './telemetry.ts'

let telemetry: Telemetry | null = null
let silent: Receiver | null = null
afterEach(async () => {
  await telemetry?.stop()
  silent?.stop()
})

function open(environment: Record<string, string>) {
  const warned: string[] = []
  const metrics = createMetrics()
  telemetry = createTelemetry({
    settings: readConfig(environment).telemetry,
    log: { debug() {}, info() {}, error() {}, warn: (_, message) => warned.push(message) },
    version: '0.0.0-test',
    processId: 'prc_test',
    metrics,
  })
  const read = async (name: string) => {
    const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(await metrics.text()) ?? []
    return value === undefined ? null : Number(value)
  }
  return { telemetry, warned, read }
}

const record = (count: number) => {
  for (let index = 0; index < count; index++) beginSpan('work', { kind: 'internal', parent: null })?.end()
}

test('nothing is traced and nothing is counted when no endpoint is set', async () => {
  const { telemetry: off, read } = open({ OTEL_SERVICE_NAME: 'shop' })
  await off.start()
  expect([isTracing(), beginSpan('work', { kind: 'internal', parent: null })]).toEqual([false, null])
  expect(await read('nexkit_telemetry_spans_dropped_total')).toBeNull()
})

test('a collector that never answers costs a bounded queue, one warning and at most two seconds of the stop', async () => {
  silent = await startReceiver({})
  const {
    telemetry: hanging,
    warned,
    read,
  } = open({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${silent.port}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '200',
  })
  await hanging.start()
  record(10_000)
  expect(await read('nexkit_telemetry_spans_waiting')).toBeLessThanOrEqual(4096)
  expect(await read('nexkit_telemetry_spans_dropped_total')).toBeGreaterThan(4000)
  await until(async () => warned.length > 0)
  record(1_000)
  const startedMs = performance.now()
  await hanging.stop()
  expect(performance.now() - startedMs).toBeLessThan(3_000)
  expect([isTracing(), warned.length]).toEqual([false, 1])
})

test('spans that wait are exported when the process stops', async () => {
  const collector = await startOtlpCollector()
  const { telemetry: stopping, read } = open({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_SERVICE_NAME: 'shop',
  })
  await stopping.start()
  record(3)
  await stopping.stop()
  collector.stop()
  expect(collector.spans).toHaveLength(3)
  expect(await read('nexkit_telemetry_spans_exported_total')).toBe(3)
  expect(collector.text()).toContain('shop')
})

test.each([
  ['always_off', '1', 0],
  ['traceidratio', '0', 0],
  ['parentbased_traceidratio', '1.0', 2],
])('the sampler %s of %s records %i of two traces', async (name, ratio, recorded) => {
  const collector = await startOtlpCollector()
  const { telemetry: sampling } = open({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: name,
    OTEL_TRACES_SAMPLER_ARG: ratio,
  })
  await sampling.start()
  record(2)
  await sampling.stop()
  collector.stop()
  expect(collector.spans).toHaveLength(recorded)
})
