/** Files that begin as files of their type do, for uploads. */
const zipEntry = (name: string) =>
  `PK\x03\x04${'\x00'.repeat(22)}${String.fromCharCode(name.length)}\x00\x00\x00${name}`
const COMPOUND = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'
const office = 'application/vnd.openxmlformats-officedocument'

const HEADS: Readonly<Record<string, string>> = {
  'image/jpeg': '\xff\xd8\xff\xe0',
  'image/png': '\x89PNG\r\n\x1a\n',
  'image/webp': 'RIFF\x24\x00\x00\x00WEBPVP8 ',
  'video/mp4': '\x00\x00\x00\x20ftypisom',
  'video/3gpp': '\x00\x00\x00\x18ftyp3gp5',
  'audio/mp4': '\x00\x00\x00\x20ftypM4A ',
  'audio/aac': '\xff\xf1\x50\x80',
  'audio/mpeg': '\xff\xfb\x90\x64',
  'audio/amr': '#!AMR\n',
  'audio/ogg': 'OggS\x00\x02',
  'application/pdf': '%PDF-1.7\n',
  'application/msword': COMPOUND,
  'application/vnd.ms-excel': COMPOUND,
  'application/vnd.ms-powerpoint': COMPOUND,
  [`${office}.wordprocessingml.document`]: zipEntry('[Content_Types].xml'),
  [`${office}.spreadsheetml.sheet`]: zipEntry('[Content_Types].xml'),
  [`${office}.presentationml.presentation`]: zipEntry('_rels/.rels'),
  'text/plain': 'Halo\n',
}

/** Filled up with spaces to its size. */
export function aFileOf(mimeType: string, bytes = 0): Uint8Array<ArrayBuffer> {
  const head = Buffer.from(HEADS[mimeType] as string, 'latin1')
  const file = new Uint8Array(Math.max(bytes, head.length)).fill(0x20)
  file.set(head)
  return file
}
