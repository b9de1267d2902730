import { bareMimeType } from '../content/content.ts'

/**
 * Whether a file begins as files of its declared type do. A file that calls itself a picture and is a program is refused when it is
 * uploaded, not by the network after the message was accepted. Text has no signature; it only must not be binary.
 */
export const HEAD_BYTES = 1024

const latin1 = (head: Uint8Array, start: number, end: number) =>
  Buffer.from(head.subarray(start, end)).toString('latin1')
const begins = (text: string) => (head: Uint8Array) => latin1(head, 0, text.length) === text
const either =
  (...tests: Test[]): Test =>
  (head) =>
    tests.some((test) => test(head))

type Test = (head: Uint8Array) => boolean

/** MP4 and its relatives: a box that names the brand comes first. */
const isMp4: Test = (head) => latin1(head, 4, 8) === 'ftyp'
/** An old office file contains a file system (CFB). */
const isCompound = begins('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')

/** An office file is a ZIP whose first entry is one that such files have. */
const OFFICE_ENTRY = /^(?:\[Content_Types\]\.xml$|_rels\/|docProps\/|customXml\/|word\/|xl\/|ppt\/)/
const isOffice: Test = (head) => {
  const nameLength = (head[26] ?? 0) + (head[27] ?? 0) * 256
  return begins('PK\x03\x04')(head) && OFFICE_ENTRY.test(latin1(head, 30, 30 + nameLength))
}

/** The frame sync, without and with the bits that tell AAC from MP3. */
const isMpegFrame: Test = ([first = 0, second = 0]) => first === 0xff && (second & 0xe0) === 0xe0
const isAdtsFrame: Test = ([first = 0, second = 0]) => first === 0xff && (second & 0xf6) === 0xf0

const isText: Test = (head) => either(begins('\xff\xfe'), begins('\xfe\xff'))(head) || !head.includes(0)

const office = 'application/vnd.openxmlformats-officedocument'

const TESTS: Readonly<Record<string, Test>> = {
  'image/jpeg': begins('\xff\xd8\xff'),
  'image/png': begins('\x89PNG\r\n\x1a\n'),
  'image/webp': (head) => begins('RIFF')(head) && latin1(head, 8, 12) === 'WEBP',
  'video/mp4': isMp4,
  'video/3gpp': isMp4,
  'audio/mp4': isMp4,
  'audio/aac': either(isAdtsFrame, begins('ADIF'), begins('ID3')),
  'audio/mpeg': either(isMpegFrame, begins('ID3')),
  'audio/amr': begins('#!AMR'),
  'audio/ogg': begins('OggS'),
  'application/pdf': (head) => latin1(head, 0, HEAD_BYTES).includes('%PDF-'),
  'application/msword': either(isCompound, begins('{\\rtf')),
  'application/vnd.ms-excel': isCompound,
  'application/vnd.ms-powerpoint': isCompound,
  [`${office}.wordprocessingml.document`]: isOffice,
  [`${office}.spreadsheetml.sheet`]: isOffice,
  [`${office}.presentationml.presentation`]: isOffice,
  'text/plain': isText,
}

/** A type that is not in the table is not taken by any message, and is refused for that. */
export function isContentOf(mimeType: string, head: Uint8Array): boolean {
  const bare = bareMimeType(mimeType)
  const test = Object.hasOwn(TESTS, bare) ? TESTS[bare] : undefined
  return test === undefined || test(head)
}

/** For errors: what is wrong, then what to do. */
export const sayMismatch = (mimeType: string) =>
  `The contents of the file are not ${bareMimeType(mimeType)}. Send it with its real type, or save it in that format.`

/** The type of a file by its name, where the sender does not state it. */
export const FILE_ENDINGS: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  mp4: 'video/mp4',
  '3gp': 'video/3gpp',
  '3gpp': 'video/3gpp',
  aac: 'audio/aac',
  amr: 'audio/amr',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  txt: 'text/plain',
  pdf: 'application/pdf',
  doc: 'application/msword',
  xls: 'application/vnd.ms-excel',
  ppt: 'application/vnd.ms-powerpoint',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
}

export function mimeTypeOfName(filename: string | null): string | null {
  const ending = /\.([^.]+)$/.exec(filename ?? '')?.[1]?.toLowerCase() ?? ''
  return (Object.hasOwn(FILE_ENDINGS, ending) ? FILE_ENDINGS[ending] : undefined) ?? null
}

const FILENAME_MAX = 240

/** The last part of a path, whichever way its slashes lean. */
export function plainFileName(filename: string | null): string | null {
  const name = (filename?.split(/[/\\]/).at(-1) ?? '').replaceAll(/\p{Cc}/gu, '').toWellFormed()
  return name === '' ? null : name.slice(0, FILENAME_MAX)
}
