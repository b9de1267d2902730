import { spawn } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartError } from '../../kernel/errors.ts'
import { type Binaries, explainSpawnError } from './binaries.ts'
import { USER } from './connection.ts'
import { diskIsFull, mentionsFullDisk } from './data-folder-errors.ts'
import { commandAs, findAccount, findProgram, giveToOwner, type RunAs } from './user.ts'

const INITDB_TIMEOUT_MS = 120_000
const USER_WITHOUT_NAME = /could not look up effective user ID/

export type InitdbRun = {
  folder: string
  password: string
  binaries: Binaries
  runAs: RunAs
  sync: boolean
  walSegmentMegabytes: number
  /** Its program is running. */
  onRunning(): void
}

/** Creates `cluster` in the folder, owned by the user who runs PostgreSQL. */
export async function runInitdb(run: InitdbRun): Promise<void> {
  try {
    await initdbWithPassword(run)
  } catch (error) {
    throw error instanceof InitdbError ? explainInitdb(error, run.folder) : error
  }
}

async function initdbWithPassword(run: InitdbRun): Promise<void> {
  const passwordFile = join(run.folder, 'password')
  await writeFile(passwordFile, run.password, { mode: 0o600 })
  await giveToOwner(passwordFile, run.runAs)
  try {
    await spawnInitdb(run, [])
  } catch (error) {
    const nameless = error instanceof InitdbError && USER_WITHOUT_NAME.test(error.message)
    const prefix = nameless ? await namedUserPrefix() : null
    if (prefix === null) throw error
    await spawnInitdb(run, prefix)
  }
  await rm(passwordFile)
}

/**
 * initdb insists on a name for its user id, which containers with an arbitrary one do not have. It sees another id, one
 * that has a name, in a separate user namespace; the files still belong to our user. Not every system permits this.
 */
async function namedUserPrefix(): Promise<string[] | null> {
  const unshare = findProgram('unshare')
  const named = await findAccount('nobody')
  return unshare === null || named === null ? null : [unshare, '--user', `--map-user=${named.uid}`, '--']
}

class InitdbError extends Error {}

/** In our process group: an impatient Ctrl-C ends it too, and the next start begins anew. */
function spawnInitdb(run: InitdbRun, prefix: string[]): Promise<void> {
  const { folder, binaries, runAs, sync, walSegmentMegabytes, onRunning } = run
  const options = [
    ...['-D', join(folder, 'cluster'), '--username', USER, '--pwfile', join(folder, 'password')],
    ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C'],
    ...['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--no-instructions'],
    ...[`--wal-segsize=${walSegmentMegabytes}`, ...(sync ? [] : ['--no-sync'])],
  ]
  const [program = binaries.initdb, ...args] = [...prefix, binaries.initdb, ...options]
  const command = commandAs(runAs, program, args)
  return new Promise((resolve, reject) => {
    const child = spawn(command.file, command.args, {
      ...runAs.ids,
      cwd: folder,
      env: binaries.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: INITDB_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    })
    let output = ''
    child.on('spawn', onRunning)
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
    child.on('error', (error) => reject(explainSpawnError(error, program)))
    child.on('close', (code, signal) =>
      code === 0 ? resolve() : reject(new InitdbError(`${output}(initdb ended with ${signal ?? code})`)),
    )
  })
}

function explainInitdb({ message }: InitdbError, folder: string): StartError {
  const dataDir = dirname(folder)
  if (mentionsFullDisk(message)) return diskIsFull(dataDir)
  if (USER_WITHOUT_NAME.test(message)) {
    const uid = process.geteuid?.()
    return new StartError(
      `User id ${uid} has no name in /etc/passwd, and PostgreSQL needs one to make its files. ` +
        'Give it a line there, run Nexkit as a user with a name, or set DATABASE_URL.',
    )
  }
  const lines = message.trim().split('\n').slice(-12).join('\n')
  return new StartError(`PostgreSQL could not make its files in ${dataDir}. It said:\n${lines}`)
}
