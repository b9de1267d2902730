import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { StartError } from './kernel/start-error.ts'
import type { Queries } from './platform/database/database.ts'
import { deriveKey } from './platform/database/secret-box.ts'
import { findKeyCheck, insertKeyCheck, replaceKeyCheck } from './platform/database/secret-key-check.sql.ts'

/**
 * The installation's master secret: from the environment, or made once and kept in the data folder with mode 0600. The database
 * remembers by which one it was sealed. With another, nothing that is in it would open and what is added would not open with the
 * first, so a start, and every command that needs the key, is refused until somebody says which it is to be.
 */
export async function loadSecretKey(queries: Queries, config: Config): Promise<string> {
  await refuseAnother(queries, config)
  const key = (await readSecretKey(config)) ?? (await makeSecretKey(config))
  await insertKeyCheck(queries, checkOf(key))
  await refuseAnother(queries, config)
  return key
}

async function refuseAnother(queries: Queries, config: Config): Promise<void> {
  const refusal = await secretKeyRefusal(queries, config)
  if (refusal !== null) throw new StartError(refusal)
}

/** Why the key of now is not taken; null when it is, or would be made. Makes nothing. */
export async function secretKeyRefusal(queries: Queries, config: Config): Promise<string | null> {
  const check = await findKeyCheck(queries)
  const key = await readSecretKey(config)
  if (key === '') return emptyKey(config)
  if (check === null || (key !== null && checkOf(key) === check)) return null
  const place = config.secretKey === null ? secretKeyPath(config) : 'NEXKIT_SECRET_KEY'
  const state = key === null ? 'is missing' : 'is another one than this database was sealed with'
  return `The secret key (${place}) ${state}. Put the old one back; if it is lost, run "npx nexkit secret-key accept" and enter all credentials again.`
}

/** As a disk that was full leaves it. It is not written over: what was in it is better put back. */
const emptyKey = (config: Config): string =>
  `The secret key (${secretKeyPath(config)}) is empty. Put the old one back, or remove the file and start again.`

/** From now on the key of now is the one, made where there is none. False when it was already. */
export async function acceptSecretKey(queries: Queries, config: Config): Promise<boolean> {
  const key = (await readSecretKey(config)) ?? (await makeSecretKey(config))
  if (key === '') throw new StartError(emptyKey(config))
  return (await replaceKeyCheck(queries, checkOf(key))) > 0
}

const checkOf = (key: string): string => Buffer.from(deriveKey(key, 'secret key check')).toString('base64url')

async function makeSecretKey(config: Config): Promise<string> {
  const path = secretKeyPath(config)
  await mkdir(config.dataDir, { recursive: true })
  await writeFile(path, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' }).catch((error) => {
    if (error.code !== 'EEXIST') throw new StartError(`The secret key cannot be written to ${path}: ${error.message}.`)
  })
  await chmod(path, 0o600)
  return (await readFile(path, 'utf8')).trim()
}

const secretKeyPath = (config: Config): string => join(config.dataDir, 'secret.key')

/** Null when there is none yet. */
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
