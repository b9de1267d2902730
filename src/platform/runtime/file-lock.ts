import { Database } from 'bun:sqlite'
import { membersOf } from '../../kernel/records.ts'

/**
 * A lock that the operating system releases when its holder dies, however it dies: no stale lock, no guessing whether
 * a process id was reused, and it holds between containers that share a folder.
 *
 * Neither Bun nor Node offers file locks. SQLite takes them for every transaction, on all platforms, so an
 * empty SQLite file with an exclusive transaction open is the lock; nothing is ever written to it. The file must stay:
 * deleting it would let two holders lock two different files of one name. Nor may this process open it in another way,
 * because closing any handle of a file drops the process's locks on it.
 */
export type FileLock = { release(): void }

/** Two processes that try at the same instant can block each other; SQLite lets one of them proceed within this time. */
const TIE_BREAK_MS = 250

/** Referenced here so that the garbage collector cannot close a lock whose holder kept no reference. */
const heldLocks = new Set<Database>()

/** Returns null when the lock is already held, in this process or another. */
export function tryLockFile(path: string): FileLock | null {
  const database = new Database(path, { create: true, readwrite: true })
  try {
    database.run(`pragma busy_timeout = ${TIE_BREAK_MS}`)
    database.run('begin exclusive')
  } catch (error) {
    database.close()
    if (membersOf(error).code === 'SQLITE_BUSY') return null
    throw error
  }
  heldLocks.add(database)
  return {
    release() {
      if (heldLocks.delete(database)) database.close()
    },
  }
}
