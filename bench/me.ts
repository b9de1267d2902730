import { join } from 'node:path'
import {
  CONNECTIONS,
  compareLogged,
  compareRates,
  doubtAbout,
  type Logged,
  loadMe,
  ROUND_MS,
  ROUNDS,
  summarize,
  type Target,
} from './me-rounds.ts'
import { type Round, refuseFailures } from './measured-load.ts'
import { findFreePort, startNexkit } from './nexkit-server.ts'
import { watchResidentMemory } from './process-usage.ts'
import { alternate, type Bench, type Finding, type Question, round } from './question.ts'

export const me: Question = {
  name: 'me',
  asks: 'How much of a bare server is left when every request is authenticated, limited and logged?',
  secondsMax: 50,
  async run(bench) {
    const dataDir = join(bench.folder, 'data')
    const server = await startNexkit({ dataDir, logFile: join(bench.folder, 'server.log') })
    bench.defer(() => server.stop())
    const token = await server.createKey()
    const nexkit = { origin: server.origin, pid: server.pid, token }
    const bare = await startBareServer(bench, token)
    // Code is compiled for speed only after it has run for a while, and servers run for long.
    const warmUp = await loadMe(nexkit)
    await loadMe(bare)
    const memory = watchResidentMemory(server.pid)
    bench.defer(() => memory.stop())
    bench.say(`${ROUNDS} rounds of ${ROUND_MS / 1000} s each, ${CONNECTIONS} connections`)
    const { ones, others } = await alternate(
      ROUNDS,
      () => loadMe(nexkit),
      () => loadMe(bare),
    )
    const residentMegabytes = memory.stop()
    refuseFailures([...ones, ...others])
    const logged = await compareLogged(dataDir, [warmUp, ...ones])
    return [ratioFinding(ones, others, logged), memoryFinding(residentMegabytes)]
  },
}

async function startBareServer(bench: Bench, token: string): Promise<Target> {
  const port = await findFreePort()
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'bare-server.ts')], {
    env: { ...process.env, PORT: String(port) },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  bench.defer(() => {
    child.kill('SIGTERM')
    return child.exited
  })
  // Its first line says that it listens.
  await child.stdout.getReader().read()
  return { origin: `http://127.0.0.1:${port}`, pid: child.pid, token }
}

const ratioFinding = (nexkit: Round[], bare: Round[], logged: Logged): Finding => ({
  measure: 'GET /me against a bare server',
  value: compareRates(nexkit, bare),
  unit: 'ratio',
  bar: { atLeast: 0.6 },
  figures: {
    nexkit: summarize(nexkit),
    bare: summarize(bare),
    requests_answered: logged.answered,
    requests_logged: logged.logged,
  },
  ...doubtAbout(logged),
})

const memoryFinding = (megabytes: number): Finding => ({
  measure: 'resident memory of the server under load',
  value: round(megabytes, 0),
  unit: 'MB',
  bar: { atMost: 200 },
  figures: { connections: CONNECTIONS },
})
