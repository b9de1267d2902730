import { join } from 'node:path'
import {
  CONNECTIONS,
  compareLogged,
  compareRates,
  doubtAbout,
  loadMe,
  ROUND_MS,
  ROUNDS,
  summarize,
} from './me-rounds.ts'
import { refuseFailures } from './measured-load.ts'
import { startNexkit } from './nexkit-server.ts'
import { alternate, type Bench, type Question } from './question.ts'

export const requestLog: Question = {
  name: 'request-log',
  asks: 'How much of the speed is left when every request is logged?',
  secondsMax: 50,
  async run(bench) {
    const logging = await start(bench, 'logging', {})
    const silent = await start(bench, 'silent', { NEXKIT_REQUEST_LOG: '0' })
    // Code is compiled for speed only after it has run for a while, and servers run for long.
    const warmUp = await loadMe(logging)
    await loadMe(silent)
    bench.say(`${ROUNDS} rounds of ${ROUND_MS / 1000} s each, ${CONNECTIONS} connections`)
    const { ones, others } = await alternate(
      ROUNDS,
      () => loadMe(logging),
      () => loadMe(silent),
    )
    refuseFailures([...ones, ...others])
    const logged = await compareLogged(logging.dataDir, [warmUp, ...ones])
    return [
      {
        measure: 'GET /me with the request log on against off',
        value: compareRates(ones, others),
        unit: 'ratio',
        bar: { atLeast: 0.9 },
        figures: {
          on: summarize(ones),
          off: summarize(others),
          requests_answered: logged.answered,
          requests_logged: logged.logged,
        },
        ...doubtAbout(logged),
      },
    ]
  },
}

/** Each with a PostgreSQL of its own, which is idle while the other server is asked. */
async function start(bench: Bench, name: string, settings: Record<string, string>) {
  const dataDir = join(bench.folder, name)
  const server = await startNexkit({ dataDir, logFile: join(bench.folder, `${name}.log`), settings })
  bench.defer(() => server.stop())
  return { dataDir, origin: server.origin, pid: server.pid, token: await server.createKey() }
}
