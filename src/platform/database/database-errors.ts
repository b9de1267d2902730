import { membersOf } from '../../kernel/records.ts'

/** Names for the SQLSTATEs of PostgreSQL and the error codes of the driver. */
const SERIALIZATION_CODES = new Set(['40001', '40P01'])

const CONNECTION_CODES = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
  '57P01', // terminated by an administrator
  '57P02', // the server crashed
  '57P03', // starting up or shutting down
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
])

const OVERLOAD_CODES = new Set([
  '53100', // disk full
  '53200', // out of memory
  '53300', // too many connections
  '57014', // statement timeout
  '55P03', // lock timeout
])

/** The database refuses writes or logins: a failover in progress, a disk that the provider made read-only, a changed password. */
const CLOSED_CODES = new Set([
  '25006', // read-only
  '28000', // may not sign in
  '28P01', // wrong password
  '3D000', // no such database
  '57P04', // the database was dropped
])

export function databaseCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null
  return error.code === INTERNAL_ERROR ? codeOfWorker(error) : typeof error.code === 'string' ? error.code : null
}

const INTERNAL_ERROR = 'XX000'
const WORKER_ERRORS = [
  { says: 'no partition of relation', code: '23514' },
  { says: 'duplicate key value violates unique constraint', code: '23505' },
]

/** For COPY to a cluster, Citus replaces the code of a worker's error and keeps the sentence. */
const codeOfWorker = (error: object): string =>
  WORKER_ERRORS.find(({ says }) => String('message' in error && error.message).startsWith(says))?.code ?? INTERNAL_ERROR

const has = (codes: Set<string>, error: unknown) => {
  const code = databaseCode(error)
  return code !== null && codes.has(code)
}

export const isSerializationFailure = (error: unknown) => has(SERIALIZATION_CODES, error)
export const isConnectionFailure = (error: unknown) => has(CONNECTION_CODES, error)

/** The database cannot serve now but may later: answered as 503, never as 500. */
export const isDatabaseUnavailable = (error: unknown) =>
  [CONNECTION_CODES, OVERLOAD_CODES, CLOSED_CODES, SERIALIZATION_CODES].some((codes) => has(codes, error))

export const isLockTimeout = (error: unknown) => databaseCode(error) === '55P03'

/** The statement took too long, most likely behind a lock; others may go through at once. */
export const isTimeout = (error: unknown) => isLockTimeout(error) || databaseCode(error) === '57014'

export const isUniqueViolation = (error: unknown, constraint?: string) =>
  databaseCode(error) === '23505' && (constraint === undefined || membersOf(error).constraint_name === constraint)
