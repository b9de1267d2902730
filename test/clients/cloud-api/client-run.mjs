import { deflateSync } from 'node:zlib'

/** What the scripts of all clients share: where to, as whom, and a line of JSON for every call. */
const need = (name) => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

/** With a base path and without a version: most clients add their own. */
export const settings = { baseUrl: need('CLOUD_API_URL'), token: need('CLOUD_API_TOKEN') }
export const phoneNumberId = need('CLOUD_API_PHONE_NUMBER_ID')
export const to = need('CLOUD_API_TO')
/** A message that the customer sent, by the id of the network. */
export const inbound = need('CLOUD_API_INBOUND')
export const link = 'https://example.com/a.jpg'

const chunk = (type, data) => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(data.length, 0)
  head.write(type, 4, 'latin1')
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc(Buffer.concat([head.subarray(4), data])), 0)
  return Buffer.concat([head, data, checksum])
}

function crc(bytes) {
  let value = 0xffffffff
  for (const byte of bytes) {
    value ^= byte
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  }
  return (value ^ 0xffffffff) >>> 0
}

/** One red pixel. */
export const picture = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  chunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])),
  chunk('IDAT', deflateSync(Buffer.from([0, 255, 0, 0]))),
  chunk('IEND', Buffer.alloc(0)),
])

/** An answer counts when it contains a message id (`wamid.…`) or success, or when the case accepts it. */
export async function run(client, cases) {
  for (const [name, call] of Object.entries(cases)) {
    try {
      const answer = await call()
      process.stdout.write(`${JSON.stringify({ client, name, ok: true, answer: shorten(answer) })}\n`)
    } catch (error) {
      process.stdout.write(`${JSON.stringify({ client, name, ok: false, error: String(error?.stack ?? error) })}\n`)
    }
  }
}

function shorten(answer) {
  const id = answer?.messages?.[0]?.id
  if (id !== undefined && !String(id).startsWith('wamid.')) throw new Error(`"${id}" is no id of a message`)
  return id ?? answer
}
