import { existsSync } from 'node:fs'
import { lchown, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartError } from '../../kernel/errors.ts'
import type { Binaries } from './binaries.ts'
import { errorCode } from './data-folder-errors.ts'

/**
 * PostgreSQL refuses to run as root. An ordinary user runs it as itself. Root runs it as the owner of the data, or as
 * `postgres` or `nobody` in a separate folder. When a parent folder shuts that user out (a clone under /root, say), no
 * mode is changed; PostgreSQL is started through setpriv with the single capability to pass through.
 */
export type Account = { uid: number; gid: number }

export type RunAs = {
  /** The owner of the cluster, when that is not the user of this process. */
  owner: Account | null
  /** Put before the command. */
  prefix: string[]
  /** Handed to spawn. */
  ids: Account | Record<never, never>
}

type Places = { dataDir: string; cluster: string; binaries: Binaries }

export async function chooseRunAs(places: Places): Promise<RunAs> {
  if (process.geteuid?.() !== 0) return { owner: null, prefix: [], ids: {} }
  const owner = await chooseOwner(places)
  const blocked = await findBlockedPath(owner, places)
  if (blocked === null) return { owner, prefix: [], ids: owner }
  return { owner, prefix: setprivPrefix(owner, blocked), ids: {} }
}

async function chooseOwner({ cluster, dataDir }: Places): Promise<Account> {
  for (const folder of [cluster, dataDir]) {
    const found = await stat(folder).catch(() => null)
    if (found !== null && found.uid !== 0) return { uid: found.uid, gid: found.gid }
  }
  return (await findAccount('postgres')) ?? (await findAccount('nobody')) ?? { uid: 65534, gid: 65534 }
}

export async function findAccount(name: string): Promise<Account | null> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n')
  const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':')
  return fields === undefined ? null : { uid: Number(fields[2]), gid: Number(fields[3]) }
}

const READ = 4
const PASS = 1

/** Mode bits only: where access lists say otherwise, setpriv is used without need, which does no harm. */
async function findBlockedPath(account: Account, { dataDir, binaries }: Places): Promise<string | null> {
  const programs = [binaries.initdb, binaries.postgres]
  const shared = [join(binaries.folder, 'share', 'postgresql', 'postgres.bki')]
  for (const folder of new Set([
    ...parentsOf(dataDir),
    dataDir,
    ...parentsOf(binaries.postgres),
    ...shared.flatMap(parentsOf),
  ])) {
    if (!(await allows(folder, account, PASS))) return folder
  }
  for (const file of programs) if (!(await allows(file, account, READ | PASS))) return file
  for (const file of shared) if (!(await allows(file, account, READ))) return file
  return null
}

function parentsOf(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [] : [...parentsOf(parent), parent]
}

async function allows(path: string, account: Account, bits: number): Promise<boolean> {
  const { uid, gid, mode } = await stat(path)
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0
  return ((mode >> shift) & bits) === bits
}

/**
 * The capability is ambient, so it survives the change of user and every exec after it. PostgreSQL checks its own files
 * with access(2), which drops capabilities of other users than root unless `no_setuid_fixup` is set.
 */
function setprivPrefix({ uid, gid }: Account, blocked: string): string[] {
  const setpriv = findProgram('setpriv')
  if (setpriv === null) throw shutOut(uid, blocked)
  const ids = ['--reuid', String(uid), '--regid', String(gid), '--clear-groups']
  const capability = ['--inh-caps', '+dac_override', '--ambient-caps', '+dac_override']
  return [setpriv, ...ids, '--securebits', '+no_setuid_fixup', ...capability, '--']
}

export function findProgram(name: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/bin', '/bin'].filter(Boolean)
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null
}

const shutOut = (uid: number, blocked: string) =>
  new StartError(
    `PostgreSQL cannot run as root, and user id ${uid} may not enter ${blocked}. ` +
      'Run Nexkit as an ordinary user, set NEXKIT_DATA_DIR to a folder every user may enter, or install setpriv (util-linux).',
  )

/** For what the owner must have. A root without the right to do so (some containers) cannot run PostgreSQL at all. */
export async function giveToOwner(path: string, { owner }: RunAs): Promise<void> {
  if (owner === null) return
  try {
    await lchown(path, owner.uid, owner.gid)
  } catch (error) {
    if (!['EPERM', 'EINVAL'].includes(errorCode(error) ?? '')) throw error
    throw new StartError(
      `PostgreSQL cannot run as root, and this root may not hand files to user id ${owner.uid}. ` +
        'Run Nexkit as an ordinary user, or set DATABASE_URL.',
      { cause: error },
    )
  }
}

/** The command as that user, ready for spawn. */
export function commandAs(runAs: RunAs, program: string, args: string[]): { file: string; args: string[] } {
  const [file = program, ...rest] = [...runAs.prefix, program, ...args]
  return { file, args: rest }
}
