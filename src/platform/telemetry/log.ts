import { createRequire } from 'node:module'
import pino from 'pino'
import type prettyStream from 'pino-pretty'

/** What every module is handed for logging. One wide line per thing that happened: ids, duration, outcome. */
export type Log = {
  debug: (fields: object, message: string) => void
  info: (fields: object, message: string) => void
  warn: (fields: object, message: string) => void
  error: (fields: object, message: string) => void
}

type LogStream = { fd: number; isTTY?: boolean }

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Tokens and signing secrets, wherever they turn up in a line. */
const SECRET_PATTERN =
  /\b((?:nx[kp]_(?:live|test)|nx[or])_[0-9A-Za-z]{4})[0-9A-Za-z]+|\b(wh(?:sec|sk)_)[0-9A-Za-z+/=]+/g

const maskSecrets = (text: string) => text.replace(SECRET_PATTERN, (_, key, hook) => `${key ?? hook}…`)

/**
 * Lines are JSON unless a person is watching: the question is whether the stream is a terminal, not which
 * "environment" this is. Masking works on the finished line, so no field can be forgotten.
 */
export function createLog(level: LogLevel, stream: LogStream = process.stderr as unknown as LogStream): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: { streamWrite: maskSecrets },
  }
  if (!stream.isTTY) return pino(options, openFile(stream.fd))
  const destination = openDestination(stream.fd)
  const pretty: typeof prettyStream = createRequire(import.meta.url)('pino-pretty')
  // In this thread: a worker thread would lose the last lines on exit.
  return pino(options, pretty({ destination, sync: true, translateTime: 'HH:MM:ss', singleLine: true }))
}

/** What could not be written is tried again with the next line, as long as it is less than this. */
const UNWRITTEN_BYTES_MAX = 1024 * 1024

/** A disk that is full or a reader that is gone costs lines. Thrown, it would end the process in whatever it was doing. */
function openDestination(fd: number) {
  const destination = pino.destination({ fd, sync: true, maxLength: UNWRITTEN_BYTES_MAX })
  destination.on('error', () => {})
  return destination
}

/** A destination that is full of what it could not write tries no more. Another takes its place, and that much is lost. */
function openFile(fd: number): pino.DestinationStream {
  let destination: ReturnType<typeof openDestination>
  const renew = () => {
    destination = openDestination(fd)
    destination.on('drop', renew)
  }
  renew()
  return { write: (line) => void destination.write(line) }
}
