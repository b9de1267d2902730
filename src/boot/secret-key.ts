import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { messageOf, StartError } from '../kernel/errors.ts'
import type { Queries } from '../platform/database/database.ts'
import { deriveKey } from '../platform/database/secret-box.ts'
import { findKeyCheck, insertKeyCheck, replaceKeyCheck } from '../platform/database/secret-key-check.sql.ts'

/**
 * The installation's master secret: from the environment, or created once and kept in the data folder with mode 0600. The database
 * stores a check of the key that encrypts its secrets. Another key could not decrypt them, and the first could not decrypt new ones,
 * so a start, and every command that needs the key, is refused until the operator accepts one.
 */
export async function loadSecretKey(queries: Queries, config: Config): Promise<string> {
  await refuseAnother(queries, config)
  const key = (await readSecretKey(config)) ?? (await createSecretKey(config))
  await insertKeyCheck(queries, checkOf(key))
  await refuseAnother(queries, config)
  return key
}

async function refuseAnother(queries: Queries, config: Config): Promise<void> {
  const refusal = await secretKeyRefusal(queries, config)
  if (refusal !== null) throw new StartError(refusal)
}

/** Returns why the current key is refused; null when it is accepted, or would be created. Creates nothing. */
export async function secretKeyRefusal(queries: Queries, config: Config): Promise<string | null> {
  const check = await findKeyCheck(queries)
  const key = await readSecretKey(config)
  if (key === '') return emptyKey(config)
  if (check === null || (key !== null && checkOf(key) === check)) return null
  const place = config.secretKey === null ? secretKeyPath(config) : 'NEXKIT_SECRET_KEY'
  const state = key === null ? 'is missing' : 'is another one than this database was sealed with'
  return `The secret key (${place}) ${state}. Put the old one back; if it is lost, run "npx nexkit secret-key accept" and enter all credentials again.`
}

/** A full disk leaves an empty file. It is not overwritten, because the operator can restore it. */
const emptyKey = (config: Config): string =>
  `The secret key (${secretKeyPath(config)}) is empty. Put the old one back, or remove the file and start again.`

/** Accepts the current key, and creates one when it is missing. Returns false when it was already accepted. */
export async function acceptSecretKey(queries: Queries, config: Config): Promise<boolean> {
  const key = (await readSecretKey(config)) ?? (await createSecretKey(config))
  if (key === '') throw new StartError(emptyKey(config))
  return (await replaceKeyCheck(queries, checkOf(key))) > 0
}

/** What a database or an archive stores of the key that seals its secrets: it shows whether a key is that one. */
export const checkOf = (key: string): string => Buffer.from(deriveKey(key, 'secret key check')).toString('base64url')

/** One that exists stays. Returns the key that is now in the file. */
export async function createSecretKey(
  config: Config,
  key: string = randomBytes(32).toString('base64url'),
): Promise<string> {
  const path = secretKeyPath(config)
  await mkdir(config.dataDir, { recursive: true })
  await writeFile(path, `${key}\n`, { mode: 0o600, flag: 'wx' }).catch((error) => {
    if (error.code !== 'EEXIST') throw new StartError(`The secret key cannot be written to ${path}: ${error.message}.`)
  })
  await chmod(path, 0o600)
  return (await readFile(path, 'utf8')).trim()
}

export const secretKeyPath = (config: Config): string => join(config.dataDir, 'secret.key')

/** Returns null when no key exists yet. */
export async function readSecretKey(config: Config): Promise<string | null> {
  if (config.secretKey !== null) return config.secretKey
  const path = secretKeyPath(config)
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new StartError(`The secret key in ${path} cannot be read: ${messageOf(error)}.`)
  }
}
