import { printNote } from '../framework/output.ts'

/** Lines on stderr while something takes long: the first after a few seconds, so that a small database prints none. */
const FIRST_MS = 3_000
const EVERY_MS = 5_000

export type Progress = {
  /** What is being done now, said when it takes long. */
  report(sentence: () => string): void
}

export function createProgress(nowMs: () => number = () => performance.now()): Progress {
  let nextMs = nowMs() + FIRST_MS
  return {
    report(sentence) {
      if (nowMs() < nextMs) return
      nextMs = nowMs() + EVERY_MS
      printNote(sentence())
    },
  }
}

export function sizeText(bytes: number): string {
  if (bytes < 1024 * 1024) return `${Math.ceil(bytes / 1024)} kB`
  return bytes < 1024 ** 3 ? `${(bytes / 1024 ** 2).toFixed(1)} MB` : `${(bytes / 1024 ** 3).toFixed(2)} GB`
}
