import { spawn } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { constants } from 'node:os'
import { findBun } from './find-bun.mjs'

/**
 * The garbage collector lets its heap double while it is small beside the machine's memory. Told of a small machine, the
 * same server needs 20 to 30 MB less under load and is no slower. It is no limit: a heap may grow beyond it.
 *
 * A smaller machine yet was tried and rejected: at 128 MB the whole server stays at 185 MB where it now takes 250, but a
 * message costs 460 µs of processor time instead of 290. At 192 MB it costs as much for half of the gain; 256 MB changes nothing.
 */
const MEMORY_SETTINGS = { BUN_JSC_forceRAMSize: String(512 * 1024 * 1024) }

/**
 * Runs Bun with these arguments in place of this process: same streams, same signals, same exit code.
 * A signal sent to the group reaches Bun by itself; one sent only to us is handed on.
 */
export function runBun(args) {
  const bun = findBun()
  if (bun === null) {
    console.error('nexkit: the Bun runtime is not installed. Run "npm ci" in the project folder, then try again.')
    process.exit(1)
  }
  try {
    chmodSync(bun, 0o755)
  } catch {
    // Read-only install: the mode npm gave it has to do, and spawn says so if it does not.
  }
  const child = spawn(bun, args, { stdio: 'inherit', env: { ...MEMORY_SETTINGS, ...process.env } })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  if (process.env.npm_lifecycle_event !== undefined) stopWithNpm(child)
  child.on('error', (error) => {
    console.error(`nexkit: cannot run Bun: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}

/**
 * A SIGTERM to `npm start` ends npm and the shell it runs scripts in, and gets no further. Whoever sent it means the
 * server, so when the shell is gone, Bun is told to stop.
 */
function stopWithNpm(child) {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    child.kill('SIGTERM')
  }, 250)
  timer.unref()
}
