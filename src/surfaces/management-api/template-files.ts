import type { ManagementCall } from '../../channels/channel-connector.ts'
import type { Media } from '../../channels/media/media.ts'
import { isId } from '../../kernel/ids.ts'
import { isRecord } from '../../kernel/records.ts'
import { refuseValues } from '../../platform/http/pipeline/validation.ts'
import { templateRefused } from './templates.errors.ts'

/**
 * The example file of a header. The network takes only a handle that its upload returned, so a file that is stored here is uploaded
 * first. Handles that the caller got from the network stay as they are.
 */
type Component = Record<string, unknown>
type Files = {
  read(id: string): Promise<{ media: Media; bytes: Uint8Array }>
  manage(call: Pick<ManagementCall, 'method'> & Partial<ManagementCall>): Promise<Record<string, unknown>>
}

export async function handOverFiles(files: Files, components: readonly Component[]): Promise<Component[]> {
  const stored = new Set(components.flatMap(handlesOf).filter(isStored))
  if (stored.size > FILES_MAX) throw refuseValues([TOO_MANY_FILES])
  const handles = new Map<unknown, string>()
  // One after another, so that one file at a time is in memory.
  for (const id of stored) handles.set(id, await handOver(files, id))
  return components.map((component) => {
    const known = handlesOf(component).map((one) => handles.get(one) ?? one)
    return known.length === 0 ? component : { ...component, example: { ...exampleOf(component), header_handle: known } }
  })
}

/** The network shows one example per header. */
const FILES_MAX = 10

const TOO_MANY_FILES = {
  pointer: '#/components',
  code: 'too_many',
  detail: `A template has at most ${FILES_MAX} files as examples.`,
  params: { max: FILES_MAX },
}

const exampleOf = ({ example }: Component): Component => (isRecord(example) ? example : {})

function handlesOf(component: Component): unknown[] {
  const { header_handle: handles } = exampleOf(component)
  return Array.isArray(handles) ? handles : []
}

const isStored = (handle: unknown): handle is string => typeof handle === 'string' && isId('med', handle)

/** `app` is the app that the credentials of the number belong to. */
async function handOver({ read, manage }: Files, id: string): Promise<string> {
  const { media, bytes } = await read(id)
  const query = {
    file_length: String(bytes.byteLength),
    file_type: media.mime_type,
    ...(media.filename !== null && { file_name: media.filename }),
  }
  const begun = await manage({ method: 'POST', about: 'app', objectId: 'app', edge: 'uploads', query })
  const [objectId = '', signature = ''] = String(begun.id ?? '').split('?')
  const upload = {
    about: 'upload' as const,
    objectId,
    edge: null,
    query: Object.fromEntries(new URLSearchParams(signature)),
  }
  const { h: handle } = await manage({ method: 'POST', ...upload, file: { bytes, offset: '0' } })
  if (typeof handle === 'string') return handle
  throw templateRefused({ params: { detail: 'The network did not take the file of the header.' } })
}

/** The network has to be informed that variables have names instead of numbers. */
export const isNamed = (components: readonly Component[]): boolean =>
  components.some(({ text }) => typeof text === 'string' && /\{\{\s*[a-z_]\w*\s*\}\}/i.test(text))
