import { expect } from 'bun:test'

/**
 * What the bots of this folder do, whatever they are written with, played by the test API: the bot echoes, sends buttons, a picture
 * and a template, receives a picture, and reacts to statuses. Every step waits for the bot's answer, never for a time.
 */
export type Emulator = { url: string; access_token: string; phone_number_id: string }

// biome-ignore lint/suspicious/noExplicitAny: whatever was answered; the story knows what it asked for.
type Json = any

/** A customer who reads nothing unless the story does. */
const SARI = { from: '+6281200000115', name: 'Sari' }
const NOT_ON_WHATSAPP = '6281200000101'
const WAIT_SECONDS = 15
/** A PNG of one pixel. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQAY3Y2wAAAAAElFTkSuQmCC'

export async function playStory({ url, access_token }: Emulator): Promise<void> {
  const call = async (path: string, body?: object): Promise<Json> => {
    const response = await fetch(`${url}/api/public/v1/simulator${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer: Json = response.status === 204 ? {} : await response.json()
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`)
    return answer
  }
  let last: string | null = null
  /** The next message that Sari receives. */
  const receive = async (): Promise<Json> => {
    const after = last === null ? '' : `&after=${last}`
    const { data } = await call(`/messages?to=${encodeURIComponent(SARI.from)}&limit=1&wait=${WAIT_SECONDS}${after}`)
    if (data.length === 0) throw new Error('the bot did not answer')
    last = data[0].message.id
    return data[0].message
  }
  const write = (content: object) => call('/messages', { ...SARI, ...content })

  await write({ text: 'Halo' })
  const echo = await receive()
  expect(echo).toMatchObject({ type: 'text', body: 'You said: Halo', reply_to: expect.stringMatching(/^msg_/) })

  await write({ text: 'menu' })
  const menu = await receive()
  expect(menu.type).toBe('interactive')
  await call('/replies', { ...SARI, message_id: menu.id, choice: 'Coffee' })
  expect(await receive()).toMatchObject({ body: 'You chose coffee (Coffee).' })

  await write({ text: 'photo' })
  expect(await receive()).toMatchObject({ type: 'image', body: 'A photo' })
  await write({ media: { type: 'image', mime_type: 'image/png', base64: PICTURE } })
  expect(await receive()).toMatchObject({ body: 'Got 69 bytes of image/png.' })

  await write({ text: 'template' })
  expect(await receive()).toMatchObject({ type: 'template', template: { name: 'order_paid' } })

  await call('/reads', { ...SARI, message_id: echo.id })
  expect(await receive()).toMatchObject({ body: 'You read it.' })

  // The reply window of this person is closed, and the template finds that they are not on WhatsApp.
  await write({ text: `write ${NOT_ON_WHATSAPP}` })
  expect(await receive()).toMatchObject({ body: 'Refused: 131047' })
  expect(await receive()).toMatchObject({ body: 'Failed: 131026' })
}
