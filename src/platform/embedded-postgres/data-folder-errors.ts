import { StartError } from '../../kernel/errors.ts'
import { membersOf } from '../../kernel/records.ts'

function textOf(error: unknown, name: string): string | null {
  const value = membersOf(error)[name]
  return typeof value === 'string' ? value : null
}

export const errorCode = (error: unknown): string | null => textOf(error, 'code')

export const isMissing = (error: unknown) => errorCode(error) === 'ENOENT'

const DENIED_CODES = new Set(['EACCES', 'EPERM', 'EROFS', 'SQLITE_CANTOPEN', 'SQLITE_READONLY', 'SQLITE_PERM'])
const DISK_FULL_CODES = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL'])
const NOT_A_FOLDER_CODES = new Set(['ENOTDIR', 'EEXIST'])

const DISK_FULL_TEXT = /No space left on device|Disk quota exceeded|Check free disk space/

export const diskIsFull = (folder: string) =>
  new StartError(`The disk that holds ${folder} is full. Free some space and start again.`)

export const mentionsFullDisk = (text: string) => DISK_FULL_TEXT.test(text)

/** What the file system or the lock refused, as a sentence for the operator; anything else is returned as it is. */
export function explainFolderError(error: unknown, folder: string): unknown {
  if (error instanceof StartError) return error
  const code = errorCode(error)
  if (code === null) return error
  const path = textOf(error, 'path') ?? folder
  if (DISK_FULL_CODES.has(code)) return diskIsFull(folder)
  if (NOT_A_FOLDER_CODES.has(code)) return notAFolder(folder)
  if (DENIED_CODES.has(code) || isUnmakeable(error)) return notWritable(folder, path, error)
  return error
}

/** Creating a folder creates its parents, so only a file system that allows no folders, such as /proc, reports a missing one. */
const isUnmakeable = (error: unknown) => isMissing(error) && textOf(error, 'syscall') === 'mkdir'

const notAFolder = (folder: string) =>
  new StartError(`${folder} is not a folder. Remove that file, or set NEXKIT_DATA_DIR to a folder.`)

function notWritable(folder: string, path: string, cause: unknown): StartError {
  const user = process.geteuid?.()
  const who = user === undefined ? 'This user' : `User id ${user}`
  const where = path === folder ? folder : `${folder} (refused: ${path})`
  const advice = 'Give that user the folder, or set NEXKIT_DATA_DIR to another one.'
  return new StartError(`${who} may not read and write ${where}. ${advice}`, { cause })
}
