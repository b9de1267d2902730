import { constants } from 'node:fs'
import { access, chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { StartError } from '../../kernel/errors.ts'
import { type FileLock, tryLockFile } from '../runtime/file-lock.ts'
import { explainFolderError, isMissing } from './data-folder-errors.ts'
import { isAlive } from './processes.ts'

/**
 * One server per data folder. The lock itself is the operating system's (see file-lock.ts) and ends with the process;
 * a `.pid` file beside it only names the holder, so that the one turned away can say whom to stop.
 */
export type FolderLock = {
  /** The previous holder did not release the lock: it was killed, or the machine went down. */
  wasLeftBehind: boolean
  release(): Promise<void>
}

/** PostgreSQL has a separate lock, because a command may start it without being a server. */
export type LockName = 'nexkit' | 'postgres'

/** The holder writes its id just after it has the lock; a process that is refused in between waits this long for the id. */
const HOLDER_WAIT_MS = 500

/** Creates the folder when it is missing, and locks it. A second caller, here or in another process, gets a StartError. */
export async function lockDataFolder(dataDir: string, name: LockName = 'nexkit'): Promise<FolderLock> {
  const folder = resolve(dataDir)
  try {
    await makeDataFolder(folder)
    const lock = tryLockFile(join(folder, `${name}.lock`))
    if (lock === null) throw await folderInUse(folder, name)
    return await signLock(folder, name, lock)
  } catch (error) {
    throw explainFolderError(error, folder)
  }
}

/**
 * As root the folder can be passed through but not listed by others, because PostgreSQL runs as another user inside it.
 * A folder that exists keeps the mode its owner gave it.
 */
async function makeDataFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: process.geteuid?.() === 0 ? 0o711 : 0o700 })
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
}

async function signLock(folder: string, name: LockName, lock: FileLock): Promise<FolderLock> {
  const pidFile = join(folder, `${name}.pid`)
  const wasLeftBehind = (await readText(pidFile)) !== ''
  try {
    await writeFile(`${pidFile}.new`, `${process.pid}\n`)
    await rename(`${pidFile}.new`, pidFile)
    for (const path of [pidFile, join(folder, `${name}.lock`)]) await giveToFolderOwner(path, folder)
  } catch (error) {
    lock.release()
    throw error
  }
  let isHeld = true
  return {
    wasLeftBehind,
    async release() {
      if (!isHeld) return
      isHeld = false
      await rm(pidFile, { force: true }).finally(() => lock.release())
    },
  }
}

/** When root starts a server in another user's folder, that user must still be able to start it afterwards. */
export async function giveToFolderOwner(path: string, folder: string): Promise<void> {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  await chown(path, uid, gid)
}

async function folderInUse(folder: string, name: LockName): Promise<StartError> {
  const pid = await readHolder(join(folder, `${name}.pid`))
  const who = pid === null ? 'Another Nexkit' : `Another Nexkit (pid ${pid})`
  return new StartError(`${who} is already using ${folder}. Stop it, or set NEXKIT_DATA_DIR to another folder.`)
}

async function readHolder(pidFile: string): Promise<number | null> {
  const deadlineMs = Date.now() + HOLDER_WAIT_MS
  do {
    const pid = Number.parseInt(await readText(pidFile), 10)
    if (isAlive(pid)) return pid
    await new Promise((resolve) => setTimeout(resolve, 10))
  } while (Date.now() < deadlineMs)
  return null
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return ''
    throw error
  }
}
