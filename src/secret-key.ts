import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { StartError } from './kernel/start-error.ts'

/** The installation's master secret: from the environment, or made once and kept in the data folder with mode 0600. */
export async function loadSecretKey(config: Config): Promise<string> {
  const known = await readSecretKey(config)
  if (known !== null) return known
  const path = secretKeyPath(config)
  await mkdir(config.dataDir, { recursive: true })
  await writeFile(path, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' }).catch((error) => {
    if (error.code !== 'EEXIST') throw new StartError(`The secret key cannot be written to ${path}: ${error.message}.`)
  })
  await chmod(path, 0o600)
  return (await readFile(path, 'utf8')).trim()
}

export const secretKeyPath = (config: Config): string => join(config.dataDir, 'secret.key')

/** Null when there is none yet. Makes nothing. */
export async function readSecretKey(config: Config): Promise<string | null> {
  if (config.secretKey !== null) return config.secretKey
  const path = secretKeyPath(config)
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new StartError(`The secret key in ${path} cannot be read: ${(error as Error).message}.`)
  }
}
