import { StartError } from '../../kernel/errors.ts'

/**
 * One file for backups and exports: a tar file, compressed with gzip, so that `tar tzf` lists it.
 *
 *   manifest.json      what it is, of which version, with which tables: read before anything else
 *   name/00000001 …    streams, each in parts of about a megabyte: rows of a table, or a file of the storage
 *   checksums.json     SHA-256 and size of every stream, and a summary. An archive without it is cut off
 *
 * It is written under a temporary name and renamed when it is whole. A reader checks all of it before it uses any of it.
 */
export type Checksum = { parts: number; bytes: number; sha256: string }

export const MANIFEST = 'manifest.json'
export const CHECKSUMS = 'checksums.json'
export const PART_DIGITS = 8

/** How much of a stream is written at once: rows are never divided, so a part may be larger. */
export const PART_BYTES = 1024 * 1024

/** What is wrong with an archive, for the one who wants to use it. */
export class ArchiveError extends StartError {}

export const damaged = (path: string): ArchiveError =>
  new ArchiveError(`${path} is damaged: it is cut off, or was changed after it was written. Use another copy of it.`)
