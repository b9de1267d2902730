import { z } from 'zod'
import { textSchema } from '../../platform/http/schemas.ts'

/** Checks credentials at the provider. A person waits for the answer, so the time is limited. */
const Failure = z.object({
  class: textSchema(40),
  code: textSchema(100),
  provider_code: textSchema(200).nullable(),
  detail: textSchema(2000),
})
export const ProbeResult = z
  .object({ ok: z.boolean(), failure: Failure.nullable(), took_ms: z.int() })
  .meta({ id: 'ProbeResult' })

type Refusal = { class: string; code: string; providerCode: string | null; detail: string }
type Outcome = { kind: 'done' } | { kind: 'refused'; failure: Refusal }

const PROBE_MS = 10_000

export const probeSignal = () => AbortSignal.timeout(PROBE_MS)

export const failureView = (failure: Refusal): z.input<typeof Failure> => ({
  class: failure.class,
  code: failure.code,
  provider_code: failure.providerCode,
  detail: failure.detail.slice(0, 2000),
})

export async function probed(probe: (signal: AbortSignal) => Promise<Outcome>): Promise<z.input<typeof ProbeResult>> {
  const startedAt = performance.now()
  const outcome = await probe(probeSignal())
  const took_ms = Math.round(performance.now() - startedAt)
  if (outcome.kind === 'done') return { ok: true, failure: null, took_ms }
  return { ok: false, failure: failureView(outcome.failure), took_ms }
}
