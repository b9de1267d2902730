import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { DemoKey } from './boot/demo.ts'
import { rangeTexts } from './boot/settings.ts'
import type { Config } from './config.ts'
import { StartError } from './kernel/errors.ts'
import { announce, prepareGround, runUntilSignal, type Undo } from './main.ts'
import type { ProcessRole } from './platform/cluster/live-processes.ts'
import { isListening } from './platform/runtime/server.ts'
import { createLog, type Log } from './platform/telemetry/log.ts'

/**
 * Several serving processes on one port over one PostgreSQL. The supervisor prepares the ground, starts the children,
 * replaces one that dies, and on a signal lets all of them drain before it stops PostgreSQL. It serves nothing itself.
 */
const RESTART_DELAY_MS = 500
const RESTARTS_PER_MINUTE_MAX = 20
const CHILD_STOP_MS = 18_000
const FIRST_CHILD_MS = 15_000
const LISTENING_POLL_MS = 50

export async function superviseProcesses(
  config: Config,
  options: { role: ProcessRole; processes: number },
): Promise<void> {
  if (config.port === 0) throw new StartError('Several processes need a fixed port to share. Set PORT.')
  const log = createLog(config.logLevel)
  await runUntilSignal(log, async (undo: Undo[]) => {
    const startedAt = performance.now()
    const { databaseUrl, secretKey, database, demo } = await prepareGround({
      ...{ config, log, undo },
      isServing: options.role !== 'worker',
    })
    const environment = {
      ...process.env,
      DATABASE_URL: databaseUrl,
      NEXKIT_SECRET_KEY: secretKey,
      NEXKIT_DEMO: '0',
      NEXKIT_ALLOW_PRIVATE_WEBHOOKS: rangeTexts(config).join(','),
      NEXKIT_CHILD_PROCESS: '1',
      NEXKIT_SUPERVISOR_PID: String(process.pid),
    }
    const family = createFamily(log, ({ index, played }) =>
      spawnChild(options.role, { ...environment, ...metricsPortFor(config, index) }, played),
    )
    undo.push(() => family.stop())
    // One child plays the demo. Its replacement does not, because the first may have begun.
    family.add({ index: 0, played: demo && { organizationId: demo.organizationId, token: demo.token } })
    for (let index = 1; index < options.processes; index++) family.add({ index, played: null })
    const stopping = new AbortController()
    const listening = options.role === 'worker' ? Promise.resolve() : untilListening(config, log, stopping.signal)
    const announced = listening
      .then(() => announce(config, { database, demo }, performance.now() - startedAt))
      .catch((error) => log.warn({ err: error }, 'that the demo was seen could not be noted'))
    undo.push(() => {
      stopping.abort()
      return announced
    })
  })
}

/**
 * Until the first child has opened the port. Neither a signal nor children that do not come keep the announcement back for
 * good, because the credentials of a first start are shown nowhere else.
 */
async function untilListening(config: Config, log: Log, stopping: AbortSignal): Promise<void> {
  const deadlineMs = performance.now() + FIRST_CHILD_MS
  while (!stopping.aborted && !(await isListening(config))) {
    if (performance.now() > deadlineMs) return log.warn({ waitedMs: FIRST_CHILD_MS }, 'no serving process listens yet')
    await pause(LISTENING_POLL_MS)
  }
}

/** The first child has the port that is set, and each further one the next. */
const metricsPortFor = ({ metricsPort }: Config, index: number) =>
  metricsPort === null ? {} : { METRICS_PORT: String(metricsPort + index) }

/** The demo goes by stdin, because an environment shows what is in it for as long as the process lives. */
function spawnChild(role: ProcessRole, environment: NodeJS.ProcessEnv, demo: DemoKey | null): ChildProcess {
  const child = spawn(process.execPath, [process.argv[1] as string, 'serve', '--role', role], {
    env: environment,
    stdio: [demo === null ? 'ignore' : 'pipe', 'inherit', 'inherit'],
  })
  child.stdin?.end(JSON.stringify(demo))
  return child
}

type Child = { index: number; played: DemoKey | null }

function createFamily(log: Log, start: (child: Child) => ChildProcess) {
  const children = new Set<ChildProcess>()
  let recentRestarts: number[] = []
  let isStopping = false

  const add = ({ index, played }: Child) => {
    const child = start({ index, played })
    children.add(child)
    child.on('exit', (code, signal) => {
      children.delete(child)
      if (isStopping) return
      log.error({ pid: child.pid, code, signal }, 'a serving process ended; starting another')
      recentRestarts = [...recentRestarts.filter((at) => at > Date.now() - 60_000), Date.now()]
      if (recentRestarts.length > RESTARTS_PER_MINUTE_MAX) {
        log.error({ restarts: recentRestarts.length }, 'serving processes keep ending; giving up')
        process.kill(process.pid, 'SIGTERM')
        return
      }
      setTimeout(() => isStopping || add({ index, played: null }), RESTART_DELAY_MS)
    })
  }

  return {
    add,
    async stop() {
      isStopping = true
      const ended = [...children].map((child) => new Promise((resolve) => child.once('exit', resolve)))
      for (const child of children) child.kill('SIGTERM')
      const timer = setTimeout(() => {
        for (const child of children) child.kill('SIGKILL')
      }, CHILD_STOP_MS)
      await Promise.all(ended)
      clearTimeout(timer)
    },
  }
}
