import { expect } from 'bun:test'
import { cp, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { EmulatorFacts } from '../../support/emulator.ts'
import { until } from '../../support/until.ts'

/**
 * Samples that Meta publishes, unchanged: a shop that answers webhooks with buttons and templates, and two programs that send.
 * Their code is no part of this project: META_SAMPLES names the folder with the checkouts of the two repositories.
 */
// biome-ignore lint/suspicious/noExplicitAny: whatever was answered; each sample knows what it asked for.
type Json = any

export type Sample = {
  /** In the folder of the checkouts. */
  path: string
  /** Its port cannot be chosen where it is a number here. */
  port: number | null
  environment(facts: EmulatorFacts): Record<string, string>
  play(facts: EmulatorFacts, sampleUrl: string): Promise<void>
}

const SARI = { from: '+6281377770001', to: '6281377770001' }

const callJson = async (url: string, { token, ...init }: RequestInit & { token?: string } = {}): Promise<Json> => {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  return (await fetch(url, { headers, ...init })).json()
}

const post = (url: string, body: object, token?: string) =>
  callJson(url, { method: 'POST', body: JSON.stringify(body), ...(token !== undefined && { token }) })

/** The nth message that Sari received. */
async function received({ url, access_token: token }: EmulatorFacts, nth: number): Promise<Json> {
  const query = `to=${encodeURIComponent(SARI.from)}&count=${nth}&wait=20`
  const { data } = await callJson(`${url}/api/public/v1/simulator/messages?${query}`, { token })
  return data[nth - 1]?.message
}

const writes = ({ url, access_token: token }: EmulatorFacts, path: string, body: object) =>
  post(`${url}/api/public/v1/simulator/${path}`, { from: SARI.from, ...body }, token)

/** Template messages go out at any time; for others the customer has to write first. */
const openWindow = async (facts: EmulatorFacts) => {
  await writes(facts, 'messages', { text: 'Halo' })
  const chats = () => callJson(`${facts.url}/api/public/v1/chats`, { token: facts.access_token })
  await until(async () => (await chats()).data.length > 0)
}

const sender = ({ access_token, waba_id }: EmulatorFacts) => ({
  META_AUTH_TOKEN: access_token,
  META_BUSINESS_ID: waba_id,
  MESSAGING_PRODUCT: 'whatsapp',
})

const BODY = { type: 'BODY', text: 'Hello {{1}}', example: { body_text: [['Sari']] } }
/** A PNG of one pixel. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQAY3Y2wAAAAAElFTkSuQmCC'

/** As the script of Jasper's Market does with curl: the token in the query, then as OAuth, and bytes as if they were a form. */
async function uploadPicture({ url, app_id, access_token }: EmulatorFacts): Promise<string> {
  const body = Buffer.from(PICTURE, 'base64')
  const query = `file_name=groceries.jpg&file_length=${body.byteLength}&file_type=image/jpg&access_token=${access_token}`
  const { id } = await callJson(`${url}/v23.0/${app_id}/uploads?${query}`, { method: 'POST' })
  const headers = {
    authorization: `OAuth ${access_token}`,
    file_offset: '0',
    'content-type': 'application/x-www-form-urlencoded',
  }
  return (await callJson(`${url}/v23.0/${id}`, { method: 'POST', headers, body })).h
}

export const SAMPLES: Record<string, Sample> = {
  "Jasper's Market": {
    path: 'whatsapp-business-jaspers-market',
    port: null,
    environment: () => ({}),
    async play(facts) {
      const script = await readFile(join(process.env.META_SAMPLES ?? '', this.path, 'template.sh'), 'utf8')
      const name = /"name": "(grocery\w+)"/.exec(script)?.[1] ?? ''
      const header = { type: 'header', format: 'image', example: { header_handle: [await uploadPicture(facts)] } }
      const components = [header, { type: 'body', text: 'Free delivery' }]
      const template = { name, language: 'en_US', category: 'marketing', components }
      expect(await post(`${facts.url}/${facts.waba_id}/message_templates`, template, facts.access_token)).toMatchObject(
        {
          status: 'APPROVED',
        },
      )
      await writes(facts, 'messages', { text: 'Halo' })
      const menu = await received(facts, 1)
      expect(menu.type).toBe('interactive')
      await writes(facts, 'replies', { message_id: menu.id, choice: '1' })
      expect(await received(facts, 2)).toMatchObject({ type: 'template', template: { name } })
      // It waits for the status of the template.
      expect((await received(facts, 3)).body).toContain('anything else')
    },
  },
  'message-templates-js': {
    path: 'whatsapp-api-examples/message-templates-js/complete-app',
    port: 8000,
    environment: sender,
    async play(facts, url) {
      const [name, language] = ['sample_offer', 'en_US']
      const created = { name, language, category: 'MARKETING', components: [BODY] }
      expect(await post(`${url}/api/messageTemplate`, created)).toMatchObject({ status: 'APPROVED' })
      const { data } = await callJson(`${url}/api/messageTemplates`)
      expect(data.map((each: Json) => each.name)).toContain(name)
      const parameters = [{ type: 'text', text: 'Sari' }]
      const template = { name, language: { code: language }, components: [{ type: 'body', parameters }] }
      await post(`${url}/api/sendMessage/${facts.phone_number_id}`, {
        id: '1',
        to: SARI.to,
        type: 'template',
        template,
      })
      expect(await received(facts, 1)).toMatchObject({ type: 'template', template: { name } })
      const deleted = await callJson(`${url}/api/messageTemplate`, { method: 'DELETE', body: JSON.stringify({ name }) })
      expect(deleted).toEqual({ success: true })
    },
  },
  'media-messages-js': {
    path: 'whatsapp-api-examples/media-messages-js/complete-app',
    port: 8000,
    environment: sender,
    async play(facts, url) {
      await openWindow(facts)
      const form = new FormData()
      form.set('file', new Blob([Buffer.from(PICTURE, 'base64')], { type: 'image/png' }), 'menu.png')
      const upload = await fetch(`${url}/api/uploadMedia/${facts.phone_number_id}`, { method: 'POST', body: form })
      const { id } = (await upload.json()) as Json
      expect(await callJson(`${url}/api/getMedia/${id}`)).toMatchObject({ id, mime_type: 'image/png' })
      await post(`${url}/api/sendMediaMessage/${facts.phone_number_id}`, { id, to: SARI.to, type: 'image' })
      expect(await received(facts, 1)).toMatchObject({ type: 'image' })
      expect(await callJson(`${url}/api/deleteMedia/${id}`, { method: 'DELETE' })).toEqual({ success: true })
    },
  },
}

export const copySample = ({ path }: Sample, folder: string): Promise<void> =>
  cp(join(process.env.META_SAMPLES ?? '', path), folder, { recursive: true })

/** Jasper's Market remembers messages in Redis. This answers what it asks: SET, EXPIRE, DEL, and OK to the rest. */
export async function startSmallRedis(port: number): Promise<{ close(): void }> {
  const kept = new Set<string>()
  const answers: Record<string, (key: string) => string> = {
    SET: (key) => {
      kept.add(key)
      return '+OK'
    },
    EXPIRE: () => ':1',
    DEL: (key) => `:${Number(kept.delete(key))}`,
  }
  const server = createServer((socket) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
      for (;;) {
        const lines = text.split('\r\n')
        const words = Number(lines[0]?.slice(1))
        if (!lines[0]?.startsWith('*') || lines.length < 2 * words + 2) return
        const [name = '', key = ''] = Array.from({ length: words }, (_, index) => lines[2 + 2 * index])
        text = lines.slice(2 * words + 1).join('\r\n')
        socket.write(`${(answers[name.toUpperCase()] ?? (() => '+OK'))(key)}\r\n`)
      }
    })
    socket.on('error', () => {})
  })
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  return { close: () => server.close() }
}
