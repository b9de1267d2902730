// Finds the Bun binary that npm installed, also when npm skipped Bun's install script:
// then the binary is still in the platform package it was shipped in.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))

/** The placeholder that npm leaves when the install script did not run is a few hundred bytes of text. */
const SMALLEST_REAL_BINARY_BYTES = 1_000_000

const isRealBinary = (path) => existsSync(path) && statSync(path).size > SMALLEST_REAL_BINARY_BYTES

function bunPackageFolder() {
  try {
    return dirname(createRequire(import.meta.url).resolve('bun/package.json'))
  } catch {
    return join(here, '..', 'node_modules', 'bun')
  }
}

export function findBun() {
  const bunFolder = bunPackageFolder()
  const candidates = [join(bunFolder, 'bin', 'bun.exe'), join(bunFolder, 'bin', 'bun')]
  const platformFolder = join(bunFolder, '..', '@oven')
  if (existsSync(platformFolder)) {
    const musl = process.report?.getReport?.().header?.glibcVersionRuntime === undefined && process.platform === 'linux'
    const names = readdirSync(platformFolder).sort(
      (one, other) => Number(other.includes('musl') === musl) - Number(one.includes('musl') === musl),
    )
    for (const name of names) {
      candidates.push(join(platformFolder, name, 'bin', 'bun'), join(platformFolder, name, 'bin', 'bun.exe'))
    }
  }
  return candidates.find(isRealBinary) ?? null
}
