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
  return Object.hasOwn(FILE_ENDINGS, ending) ? (FILE_ENDINGS[ending] as string) : null
}

const FILENAME_MAX = 240

/** The last part of a path, whichever way its slashes lean. */
export function plainFileName(filename: string | null): string | null {
  const name = (filename?.split(/[/\\]/).at(-1) ?? '').replaceAll(/\p{Cc}/gu, '').toWellFormed()
  return name === '' ? null : name.slice(0, FILENAME_MAX)
}
