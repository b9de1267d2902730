import { parseArgs } from 'node:util'
import { soak } from '../test/torture/soak.ts'
import { isFlat, TREND_MINUTES_MIN } from '../test/torture/trends.ts'

/**
 * `npm run soak -- --minutes 60 --rate 80`: mixed load of about 80 requests a second against one real server, with a line of
 * measurements each minute. Ends with 1 when memory, open files, pending work or dead rows grow, or when anything is missing or doubled. A run of under 20
 * minutes only accounts for what was answered: slopes would be those of the warm-up.
 */
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, rate: { type: 'string', default: '80' } },
})
const [minutes, requestsPerSecond] = [Number(values.minutes), Number(values.rate)]
if (!(minutes > 0 && requestsPerSecond > 0)) {
  console.error('--minutes and --rate must be numbers above 0')
  process.exit(2)
}
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
const { trends, violations } = await soak({
  minutes,
  requestsPerSecond,
  say: (line) => console.log(line),
  signal: stop.signal,
}).catch((error) => {
  if (!stop.signal.aborted) throw error
  console.error('stopped by a signal before there was a verdict')
  process.exit(130)
})

if (trends.length === 0) console.log(`no verdict on growth: it needs at least ${TREND_MINUTES_MIN} minutes`)
for (const trend of trends) {
  const { name, unit, from, growth, growthMax } = trend
  const figures = [from, growth, growthMax].map((value) => `${value.toFixed(1)} ${unit}`.trim())
  console.log(
    `${isFlat(trend) ? 'flat' : 'GROWS'}: ${name}, median ${figures[0]}, growth ${figures[1]} (up to ${figures[2]} is noise)`,
  )
}
for (const violation of violations.slice(0, 20)) console.log(`  ${violation}`)
const growing = trends.filter((trend) => !isFlat(trend)).length
console.log(`${minutes} minutes, ${growing} growing, ${violations.length} violations`)
process.exit(growing + violations.length === 0 ? 0 : 1)
