import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/**
 * Builds the console from its sources when no build of exactly these sources exists. A build is marked with the hash of its
 * sources, so only a changed file or another version of a package causes a new build.
 *
 * A build is written to a temporary folder and moved into place when it is complete: two starts at once end with one of two
 * equal builds, and a start that is killed in between leaves no incomplete build in place.
 */
const ROOT = resolve(import.meta.dirname, '../..')
const SOURCE = join(ROOT, 'console')
const BUILD_FOLDER = join(ROOT, 'build', 'console')
const MARK = '.made-from'

export type BuildOptions = { say: (sentence: string) => void }

export async function ensureConsoleBuild({ say }: BuildOptions): Promise<string> {
  const wanted = await sourceHash()
  const present = await readFile(join(BUILD_FOLDER, MARK), 'utf8').catch(() => null)
  if (present === wanted) return BUILD_FOLDER
  const startedAt = performance.now()
  say('Building the console for the first time. The API is available meanwhile.')
  const folder = join(ROOT, 'build', `console-${process.pid}`)
  try {
    await runVite(folder)
    await writeFile(join(folder, MARK), wanted)
    await moveIntoPlace(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  say(`The console is ready (built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s).`)
  return BUILD_FOLDER
}

async function sourceHash(): Promise<string> {
  const entries = await readdir(SOURCE, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  const hash = createHash('sha256')
  for (const path of [...paths, join(ROOT, 'package-lock.json')]) {
    hash.update(path.slice(ROOT.length))
    hash.update(await readFile(path))
  }
  return hash.digest('hex')
}

function runVite(folder: string): Promise<void> {
  const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js')
  if (!existsSync(vite)) throw new Error('Vite is not installed. Run "npm ci".')
  return new Promise((done, failed) => {
    const args = [vite, 'build', SOURCE, '--outDir', folder, '--emptyOutDir', '--logLevel', 'error']
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] })
    let complaint = ''
    child.stderr.on('data', (bytes) => {
      complaint = (complaint + bytes).slice(-4000)
    })
    child.once('error', failed)
    child.once('close', (code) =>
      code === 0 ? done() : failed(new Error(complaint.trim() || `Vite ended with ${code}.`)),
    )
  })
}

async function moveIntoPlace(folder: string): Promise<void> {
  await mkdir(join(ROOT, 'build'), { recursive: true })
  const aside = `${folder}-old`
  await rename(BUILD_FOLDER, aside).catch(() => {})
  await rename(folder, BUILD_FOLDER).catch(async (error) => {
    // Another start has moved an equal build into place first.
    if (!existsSync(join(BUILD_FOLDER, MARK))) throw error
  })
  await rm(aside, { recursive: true, force: true })
}
