import { spawn } from 'node:child_process'
import { accessSync, chmodSync, constants as files } from 'node:fs'
import { constants } from 'node:os'
import { findBun } from './find-bun.mjs'

/**
 * The allocator looks for free pages to hand back to the system ten times a second by default. With nothing to do that is
 * nearly half of what a server takes of the processor: 125 ms in 30 s, and 20 ms when it looks once a second. The server
 * then holds 2 MB more.
 */
const PURGE_EVERY_MS = 1_000

/**
 * The garbage collector lets its heap double between two full collections while it is small beside the machine's memory. With a
 * factor of 1.6 the whole server takes 40 MB less under 80 mixed calls a second, and a message costs as much processor time as
 * before within what can be measured. The memory of a small machine keeps the larger factors of a large one out. Neither is
 * a limit: a heap may grow beyond it.
 *
 * Tried and rejected: a machine of 128 MB (185 MB instead of 250, but a message costs 460 µs of processor time instead of 290), a
 * factor of 1.35 or 1.5 with fewer full collections (minEdenToOldGenerationRatio; garbage that survived once stays, and
 * the heap is larger than before), no FTL compiler, and --smol (no difference).
 */
const MEMORY_SETTINGS = {
  BUN_JSC_forceRAMSize: String(512 * 1024 * 1024),
  BUN_JSC_smallHeapGrowthFactor: '1.6',
  MIMALLOC_PURGE_HOLES_MIN_INTERVAL: String(PURGE_EVERY_MS),
}

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
  const env = { ...MEMORY_SETTINGS, ...process.env }
  if (canBecome(bun)) process.execve(bun, [bun, ...args], env)
  const child = spawn(bun, args, { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  if (process.env.npm_lifecycle_event !== undefined) stopWithNpm(child)
  child.on('error', (error) => {
    console.error(`nexkit: cannot run Bun: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}

/**
 * Node.js 22.15 and later can become Bun instead of waiting for it, which saves its 20 MB. It aborts when that fails, so the file is
 * looked at first; and not under npm, where a process has to notice that npm is gone.
 */
function canBecome(bun) {
  if (process.execve === undefined || process.env.npm_lifecycle_event !== undefined) return false
  try {
    accessSync(bun, files.X_OK)
    return true
  } catch {
    return false
  }
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
