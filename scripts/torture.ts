import { parseArgs } from 'node:util'
import { torture } from '../test/torture/torture.ts'

/**
 * `npm run torture -- --seed 7 --rounds 100`: kills and freezes nodes and PostgreSQL under load, and accounts for every answer, event,
 * delivery and rupiah after each round. Ends with 1 when anything is missing or doubled. `--from 31 --rounds 1` repeats one round,
 * `--clients 4` suits a busy machine, and `--citus` kills and freezes coordinator and workers of the cluster of NEXKIT_TEST_CITUS_URL.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '10' },
    from: { type: 'string', default: '1' },
    clients: { type: 'string', default: '16' },
    citus: { type: 'boolean', default: false },
  },
})
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
const startedMs = performance.now()
const reports = await torture({
  seed: Number(values.seed),
  rounds: Number(values.rounds),
  from: Number(values.from),
  clients: Number(values.clients),
  isOnCitus: values.citus,
  say: (line) => console.log(line),
  signal: stop.signal,
})
const violations = reports.flatMap((report) => report.violations)
const faults = reports.reduce((sum, report) => sum + report.faults.length, 0)
const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1)
console.log(`${reports.length} rounds, ${faults} faults, ${violations.length} violations, ${minutes} min`)
process.exit(violations.length === 0 ? 0 : 1)
