import { describe, expect, test } from 'bun:test'
import { boundaryOf, type MultipartForm, type MultipartProblem, MultipartReader } from './multipart-reader.ts'

type Outcome = { form: MultipartForm | null; problem: MultipartProblem | null; file?: Buffer }

/** Fed in pieces of a given size, as a network would. */
function readAll(
  body: Uint8Array,
  boundary: string,
  pieceBytes: number,
  { fileBytesMax = 1000 }: { fileBytesMax?: number } = {},
): Outcome {
  const pieces: Buffer[] = []
  const takeFile = (piece: Buffer) => void pieces.push(Buffer.from(piece))
  const reader = new MultipartReader({ boundary, fileBytesMax: () => fileBytesMax, takeFile })
  for (let at = 0; at < body.length; at += pieceBytes) {
    const problem = reader.push(body.subarray(at, at + pieceBytes))
    if (problem !== null) return { form: null, problem }
  }
  return { form: reader.finish(), problem: null, file: Buffer.concat(pieces) }
}

/** As a browser, and with it most clients, would write it. */
async function encode(fill: (form: FormData) => void): Promise<{ body: Uint8Array; boundary: string }> {
  const form = new FormData()
  fill(form)
  const response = new Response(form)
  const boundary = boundaryOf(response.headers.get('content-type')) as string
  return { body: new Uint8Array(await response.arrayBuffer()), boundary }
}

const bytes = new Uint8Array(500).map((_, index) => (index * 7) % 256)

describe('a form', () => {
  test.each([1, 2, 3, 7, 64, 4096])('is read whole in pieces of %i bytes', async (pieceBytes) => {
    const { body, boundary } = await encode((form) => {
      form.set('messaging_product', 'whatsapp')
      form.set('file', new File([bytes], 'Gambar é.png', { type: 'image/png' }))
      form.set('type', 'image/png')
    })
    const { form, file } = readAll(body, boundary, pieceBytes)
    expect({ ...form?.fields }).toEqual({ messaging_product: 'whatsapp', type: 'image/png' })
    expect(form?.file?.filename).toBe('Gambar é.png')
    expect(form?.file?.mimeType).toStartWith('image/png')
    expect(form?.file?.bytes).toBe(bytes.length)
    expect(Buffer.compare(file as Uint8Array, bytes)).toBe(0)
  })

  test('may have a second file, which is ignored', async () => {
    const { body, boundary } = await encode((form) => {
      form.append('file', new File([bytes], 'a.png'))
      form.append('file', new File(['another'], 'b.png'))
    })
    const { form, file } = readAll(body, boundary, 64)
    expect([form?.file?.filename, form?.file?.bytes]).toEqual(['a.png', bytes.length])
    expect(Buffer.compare(file as Uint8Array, bytes)).toBe(0)
  })

  test('may hold what looks like its own boundary', () => {
    const data = '\r\n--x\r\n\r\n--\r--xy\r\n--'
    const body = Buffer.from(
      `--xyz\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${data}\r\n--xyz--\r\n`,
    )
    for (const pieceBytes of [1, 5, 1000]) expect(readAll(body, 'xyz', pieceBytes).file?.toString()).toBe(data)
  })

  test('may have an empty part', () => {
    const body = Buffer.from(
      '--b\r\nContent-Disposition: form-data; name="type"\r\n\r\n\r\n--b\r\ncontent-disposition:form-data;name=file\r\n\r\n\r\n--b--',
    )
    const { form } = readAll(body, 'b', 3)
    expect(form?.fields.type).toBe('')
    expect(form?.file?.bytes).toBe(0)
  })
})

describe('is refused', () => {
  test('when the file is larger than it may be, as soon as that is known', async () => {
    const { body, boundary } = await encode((form) => form.set('file', new File([bytes], 'a.png')))
    expect(readAll(body, boundary, 50, { fileBytesMax: 499 }).problem).toBe('file_too_large')
    expect(readAll(body, boundary, 50, { fileBytesMax: 500 }).problem).toBeNull()
  })

  test('when a field is', async () => {
    const { body, boundary } = await encode((form) => form.set('type', 'a'.repeat(5000)))
    expect(readAll(body, boundary, 1000).problem).toBe('file_too_large')
  })

  test('when it has more parts than any client sends', async () => {
    const { body, boundary } = await encode((form) => {
      for (let count = 0; count < 25; count++) form.append(`field${count}`, 'x')
    })
    expect(readAll(body, boundary, 1000).problem).toBe('too_many_parts')
  })

  test.each([
    ['a part without name', '--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--'],
    ['a boundary that goes on', '--bad\r\n\r\nx'],
    ['headers without end', `--b\r\n${'x'.repeat(9000)}`],
  ])('for %s', (_, body) => {
    expect(readAll(Buffer.from(body), 'b', 500).problem).toBe('malformed')
  })

  test('when it ends too early', async () => {
    const { body, boundary } = await encode((form) => form.set('file', new File([bytes], 'a.png')))
    expect(readAll(body.subarray(0, body.length - 20), boundary, 100)).toMatchObject({ form: null, problem: null })
    expect(readAll(new Uint8Array(0), boundary, 100).form).toBeNull()
  })
})

test('the boundary is read from the header, quoted or not', () => {
  expect(boundaryOf('multipart/form-data; boundary=abc')).toBe('abc')
  expect(boundaryOf('Multipart/Form-Data; charset=utf-8; boundary="a b"')).toBe('a b')
  for (const header of [null, '', 'application/json', 'multipart/form-data', 'multipart/mixed; boundary=a'])
    expect(boundaryOf(header)).toBeNull()
})
