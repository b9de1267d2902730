import { expect, test } from 'bun:test'
import { aFileOf } from '../../../test/support/files.ts'
import { until } from '../../../test/support/until.ts'
import type { MediaDraft } from '../../channels/media/media-files.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import { createUploadReader } from './media-upload.ts'

const MIB = 1024 * 1024
const BOUNDARY = 'boundary'
const START = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n`
const END = `\r\n--${BOUNDARY}--\r\n`

/** Counts what comes, and keeps none of it. */
function aReader() {
  let bytes = 0
  const begin = async (): Promise<MediaDraft> => {
    let own = 0
    return {
      async write(piece) {
        own += piece.byteLength
        bytes += piece.byteLength
      },
      bytes: () => own,
      head: () => aFileOf('application/pdf'),
      keep: async () => ({ bytes: own, sha256: '' }),
      async discard() {},
    }
  }
  const read = createUploadReader(begin)
  const query = new URLSearchParams({ messaging_product: 'whatsapp' })
  const upload = (orgId: OrgId, body: ReadableStream<Uint8Array>) => {
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
    return read(orgId, new Request('http://localhost/media', { method: 'POST', headers, body }), query)
  }
  return { upload, bytes: () => bytes }
}

/** A form with a file of so many megabytes, of which the end comes when it is asked for. */
function aForm(megabytes: number) {
  const piece = new Uint8Array(MIB)
  let end = () => {}
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(START))
      for (let index = 0; index < megabytes; index += 1) controller.enqueue(piece)
      end = () => {
        controller.enqueue(new TextEncoder().encode(END))
        controller.close()
      }
    },
  })
  return { body, end }
}

test('an organization whose uploads stall blocks no other organization, and can upload again when they are over', async () => {
  const { upload, bytes } = aReader()
  const [stalling, other] = [newId('org', Date.now()), newId('org', Date.now())]
  const forms = [aForm(100), aForm(99)]
  const stalled = forms.map(({ body }) => upload(stalling, body))
  await until(() => bytes() === 199 * MIB)

  const further = aForm(2)
  further.end()
  await expect(upload(stalling, further.body)).rejects.toThrow(/Too many files/)
  const theirs = aForm(100)
  theirs.end()
  expect(await upload(other, theirs.body)).toMatchObject({ mimeType: 'application/pdf' })

  for (const { end } of forms) end()
  await Promise.all(stalled)
  const again = aForm(2)
  again.end()
  expect(await upload(stalling, again.body)).toMatchObject({ filename: 'a.pdf' })
})
