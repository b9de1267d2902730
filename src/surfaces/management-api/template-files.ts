import type { ManagementCall } from '../../channels/channel-connector.ts'
import type { Media } from '../../channels/media/media.ts'
import { isId } from '../../kernel/ids.ts'
import { isRecord } from '../../kernel/records.ts'
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

export const handOverFiles = (files: Files, components: readonly Component[]): Promise<Component[]> =>
  Promise.all(
    components.map(async (component) => {
      const example = isRecord(component.example) ? component.example : {}
      const { header_handle: handles } = example
      if (!Array.isArray(handles)) return component
      const known = await Promise.all(
        handles.map((one) => (typeof one === 'string' && isId('med', one) ? handOver(files, one) : one)),
      )
      return { ...component, example: { ...example, header_handle: known } }
    }),
  )

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
