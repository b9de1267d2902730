import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Builds the console and the docs from their sources when no build of exactly these sources exists. A build is marked with the
 * hash of its sources, so only a changed file or another version of a package causes a new build.
 *
 * A build is written to a temporary folder and moved into place when it is complete, so a start that is killed in between leaves
 * no incomplete build in place.
 */
const ROOT = resolve(import.meta.dirname, '../..')
const MARK = '.made-from'

export type BuildOptions = {
  say: (sentence: string) => void
  /** Not in the background of a server. */
  isUrgent?: boolean
}

type Site = {
  /** Of its folder. */
  name: string
  title: string
  /** Files and folders that the build is made from. */
  sources: string[]
  /** What builds it into the folder. */
  argsFor: (folder: string) => string[]
}

const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js')

const consoleSite: Site = {
  name: 'console',
  title: 'console',
  sources: ['console', 'package-lock.json'],
  argsFor: (folder) => [
    vite,
    'build',
    join(ROOT, 'console'),
    '--outDir',
    folder,
    '--emptyOutDir',
    '--logLevel',
    'error',
  ],
}

/** Everything that its pages are made from is in these files: `npm run openapi` writes the descriptions and the list of errors. */
const docsSite: Site = {
  name: 'docs',
  title: 'documentation',
  sources: [
    ...['docs/guides', 'docs/concepts', 'docs/reference', 'docs/id', 'docs/images', 'site', 'src/surfaces/docs'],
    ...['openapi.json', 'asyncapi.json', 'package-lock.json'],
  ],
  argsFor: (folder) => [join(ROOT, 'site', 'build.ts'), folder, '--attached'],
}

export const ensureConsoleBuild = (options: BuildOptions): Promise<string> => ensureBuild(consoleSite, options)
export const ensureDocsBuild = (options: BuildOptions): Promise<string> => ensureBuild(docsSite, options)

/** npm leaves the lock file out of packages, which carry the builds of their own sources. */
const isPackaged = !existsSync(join(ROOT, 'package-lock.json'))

async function ensureBuild(site: Site, { say, isUrgent = false }: BuildOptions): Promise<string> {
  const target = join(ROOT, 'build', site.name)
  if (isPackaged && existsSync(join(target, MARK))) return target
  const wanted = await hashSources(site.sources)
  if (await isBuilt(target, wanted)) return target
  const folder = join(ROOT, 'build', `${site.name}-${process.pid}`)
  const release = await lockBuilds(isUrgent)
  try {
    if (await isBuilt(target, wanted)) return target
    await removeLeftovers(site.name)
    const startedAt = performance.now()
    say(`Building the ${site.title} for the first time. The API is available meanwhile.`)
    await runBuild(site.argsFor(folder), isUrgent)
    await writeFile(join(folder, MARK), wanted)
    await moveIntoPlace(folder, target)
    say(`The ${site.title} is ready (built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s).`)
    return target
  } finally {
    await rm(folder, { recursive: true, force: true })
    await release()
  }
}

const isBuilt = async (target: string, wanted: string) =>
  (await readFile(join(target, MARK), 'utf8').catch(() => null)) === wanted

const LOCK = join(ROOT, 'build', '.lock')
const LOCK_POLL_MS = 250

/**
 * One build at a time in this checkout: several processes of one server start together, and a build needs much memory. A server
 * that stops does not wait for the lock. A script has nothing else to do: without a timer that counts, Bun would poll without a pause.
 */
async function lockBuilds(isUrgent: boolean): Promise<() => Promise<void>> {
  await mkdir(join(ROOT, 'build'), { recursive: true })
  while (!(await takeLock())) await pause(LOCK_POLL_MS, undefined, { ref: isUrgent })
  return () => rm(LOCK, { force: true })
}

async function takeLock(): Promise<boolean> {
  try {
    await writeFile(LOCK, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    const holder = Number(await readFile(LOCK, 'utf8').catch(() => ''))
    // Left by a process that was killed.
    if (holder > 0 && !isAlive(holder)) await rm(LOCK, { force: true })
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function hashSources(sources: string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const source of sources) {
    for (const path of await filesIn(join(ROOT, source))) {
      hash.update(path.slice(ROOT.length))
      hash.update(await readFile(path))
    }
  }
  return hash.digest('hex')
}

async function filesIn(path: string): Promise<string[]> {
  if (!existsSync(path)) return []
  if ((await stat(path)).isFile()) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function runBuild(args: string[], isUrgent: boolean): Promise<void> {
  if (!existsSync(vite)) throw new Error('Vite is not installed. Run "npm ci".')
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['pipe', 'ignore', 'pipe'] })
    if (child.pid !== undefined && !isUrgent) yieldToOthers(child.pid)
    let complaint = ''
    child.stderr.on('data', (bytes) => {
      complaint = (complaint + bytes).slice(-4000)
    })
    const end = () => child.kill()
    process.once('exit', end)
    child.once('exit', () => process.off('exit', end))
    child.once('error', failed)
    child.once('close', (code) =>
      code === 0 ? done() : failed(new Error(complaint.trim() || `The build ended with ${code}.`)),
    )
  })
}

/** Requests come first. */
function yieldToOthers(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended already, or the system has no priorities.
  }
}

/** Of builds that were killed. Only the holder of the lock builds, so they belong to no one. */
async function removeLeftovers(name: string): Promise<void> {
  const folders = await readdir(join(ROOT, 'build'))
  for (const folder of folders.filter((one) => new RegExp(`^${name}-\\d+`).test(one)))
    await rm(join(ROOT, 'build', folder), { recursive: true, force: true })
}

async function moveIntoPlace(folder: string, target: string): Promise<void> {
  const aside = `${folder}-old`
  await rename(target, aside).catch(() => {})
  await rename(folder, target)
  await rm(aside, { recursive: true, force: true })
}
