import { createHash, randomBytes } from 'node:crypto'
import type { ManagementReply } from '../../channel-connector.ts'
import { type Call, done, type ManagementOptions, refuse, textOf } from './management-replies.ts'
import { deleteObject, listObjects, putObject } from './simulator.sql.ts'

/** Uploads for templates and profiles. The simulated network has no use for the bytes: it counts them and gives out a handle. */
const UPLOAD = 'upload'
const TYPES = ['application/pdf', 'image/jpeg', 'image/jpg', 'image/png', 'video/mp4']

const base64 = (value: unknown) => Buffer.from(textOf(value)).toString('base64url')
const placeOf = ({ number }: Call) => ({ orgId: number.orgId, numberId: '', kind: UPLOAD })

/** Graph signs the name of an upload, and clients use it as it is. */
const nameOf = (id: string) => `upload:${id}?sig=AR${createHash('sha256').update(id).digest('base64url').slice(0, 14)}`

export async function beginUpload({ database, clock }: ManagementOptions, call: Call): Promise<ManagementReply> {
  const { file_length, file_type: type, file_name: name = '' } = { ...call.query, ...call.body }
  const length = Number(file_length)
  if (!Number.isSafeInteger(length) || length < 1) return refuse('Param file_length must be a number of bytes.')
  if (!TYPES.includes(textOf(type))) return refuse(`Param file_type must be one of {${TYPES.join(', ')}}`)
  const id = base64(`1:attachment:${randomBytes(12).toString('hex')}`)
  await putObject(database, placeOf(call), { id, value: { length, type, name }, now: new Date(clock.now()) })
  return done({ id: nameOf(id) })
}

/** An upload is deleted when its handle was given out. */
export async function continueUpload({ database }: ManagementOptions, call: Call): Promise<ManagementReply> {
  const id = call.objectId.replace(/^upload:/, '')
  const upload = (await listObjects(database, placeOf(call))).find((row) => row.id === id)
  if (upload === undefined) return refuse('The upload does not exist, or is complete.', { subcode: 33 })
  const { length, type, name } = upload.value
  if (call.method === 'GET') return done({ id: nameOf(id), file_offset: 0 })
  const { bytes, offset } = call.file ?? { bytes: new Uint8Array(0), offset: '' }
  if (offset !== '0') return refuse('Header file_offset must be 0, which is what GET answers.')
  if (bytes.byteLength !== length) return refuse(`This is ${bytes.byteLength} bytes; file_length is ${length}.`)
  await deleteObject(database, placeOf(call), id)
  return done({ h: `4:${base64(name)}:${base64(type)}:AR${randomBytes(18).toString('base64url')}` })
}
