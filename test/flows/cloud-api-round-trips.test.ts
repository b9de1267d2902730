import { beforeAll, describe, expect, test } from 'bun:test'
import { messageIdOf } from '../../src/messaging/messages/messages.ts'
import {
  type Bot,
  fromSari,
  type Json,
  messagesOf,
  SARI,
  type Shop,
  statusesOf,
  useCloudBots,
  WABA,
} from '../support/cloud-bot.ts'
import { changeOf, FIELDS, KINDS, MESSAGE_TYPES, STATUSES, type World } from '../support/cloud-kinds.ts'
import { until } from '../support/until.ts'

/**
 * Whatever Meta posts to our hook comes out at a bot in Meta's form. Only ids and times differ: the ids are those of this
 * server, valid on the parity route.
 */
const { nexkit, graph, aShop, api, aConnectedBot, postHook, postChange, sendText, networkIdOf } = useCloudBots()

let shop: Shop
let bot: Bot
let world: World
/** Our ids of what the network knows by another. */
const ours = new Map<string, string>()

const CALLER = 'order:123'

async function aSent(isAnswerLost = false): Promise<void> {
  if (isAnswerLost) graph().failNext({ kind: 'reset', isAccepted: true })
  const wireId = await sendText(shop, { biz_opaque_callback_data: CALLER })
  const { id, token } = await networkIdOf(wireId)
  if (!isAnswerLost) await until(() => statusesOf(bot).some((one) => one.id === wireId && one.status === 'sent'))
  ours.set(id, wireId).set(token, CALLER)
  world = { ...world, theirs: id, token }
}

async function aKnown(): Promise<void> {
  const message = fromSari({ type: 'text', text: { body: 'Halo' } })
  const before = bot.received.length
  await postHook(shop, { contacts: [SARI], messages: [message] })
  await until(() => bot.received.length > before)
  ours.set(message.id, messagesOf(bot).at(-1)?.id)
  world = { ...world, known: message.id }
}

async function anEcho(): Promise<void> {
  const before = bot.received.length
  const change = changeOf(KINDS['echo of a text'] as never, world)
  await postChange(shop, change)
  await until(() => bot.received.length > before)
  const { id } = change.value.message_echoes[0]
  ours.set(id, bot.received[before]?.json.entry[0].changes[0].value.message_echoes[0].id)
  world = { ...world, echo: id }
}

beforeAll(async () => {
  shop = await aShop()
  bot = await aConnectedBot(shop)
  const media = graph().addMedia({ bytes: Buffer.from('a picture'), mimeType: 'image/png' })
  world = { shop, theirs: '', token: '', known: '', media, echo: '' }
  await aKnown()
  await aSent()
})

/** What has to be there before a kind can be posted. */
async function prepare(name: string): Promise<void> {
  if (name.startsWith('edit') || name.startsWith('revoke')) await aKnown()
  if (name.startsWith('status')) await aSent(name === 'status sent')
  if (name === 'echo of an edit' || name === 'echo of a revoke') await anEcho()
  if (name !== 'status played') return
  const before = bot.received.length
  await postChange(shop, changeOf(KINDS['status read'] as never, world))
  await until(() => bot.received.length > before)
}

/** What was posted, with what was received in the place of ids and times that only the network knows. */
function expected(posted: Json, received: Json, key = ''): Json {
  if (ours.has(posted)) return ours.get(posted)
  if (key === 'time' || key === 'timestamp') return received
  if (key === 'id' && (posted === world.media || String(posted).startsWith('wamid.in'))) return received
  if (Array.isArray(posted)) return posted.map((item, index) => expected(item, received?.[index]))
  if (typeof posted !== 'object' || posted === null) return posted
  return Object.fromEntries(
    Object.entries(posted).map(([name, value]) => [name, expected(value, received?.[name], name)]),
  )
}

describe('a bot receives what Meta sent', () => {
  test.each(Object.entries(KINDS))('%s', async (name, kind) => {
    await prepare(name)
    const change = changeOf(kind, world)
    const before = bot.received.length
    await postChange(shop, change, { time: Math.floor(Date.now() / 1000) })
    await until(() => bot.received.length > before)
    const { json } = bot.received[before] as { json: Json }
    const [entry] = json.entry
    expect(json).toEqual({
      object: 'whatsapp_business_account',
      entry: [{ ...entry, id: WABA, changes: [expected(change, entry.changes[0])] }],
    })
    const { messages = [] } = entry.changes[0].value
    for (const { id, type } of messages) {
      if (type === 'edit' || type === 'revoke') continue
      expect((await api(shop, 'GET', `/messages/${messageIdOf(id)}`)).status).toBe(200)
    }
    expect(bot.forged).toBe(0)
  })

  test('of every kind that Meta documents', () => {
    const changes = Object.values(KINDS).map((kind) => changeOf(kind, world))
    const values = changes.map(({ value }) => value)
    expect(FIELDS.filter((field) => !changes.some((change) => change.field === field))).toEqual([])
    const types = values.flatMap(({ messages = [] }) => messages.map(({ type }: Json) => type))
    const statuses = values.flatMap(({ statuses: reported = [] }) => reported.map(({ status }: Json) => status))
    expect(MESSAGE_TYPES.filter((type) => !types.includes(type))).toEqual([])
    expect(STATUSES.filter((status) => !statuses.includes(status))).toEqual([])
  })
})

test('a message can be answered, marked as read and downloaded by the ids that the bot received', async () => {
  const picture = messagesOf(bot).find(({ type }) => type === 'image')
  const sent = await sendText(shop, { context: { message_id: picture.id } })
  const { json } = await api(shop, 'GET', `/messages/${messageIdOf(sent)}`)
  expect(json.reply_to).toBe(messageIdOf(picture.id))
  const read = { messaging_product: 'whatsapp', status: 'read', message_id: picture.id }
  expect(await api(shop, 'POST', `/v25.0/${shop.number.phone_number_id}/messages`, read)).toEqual({
    status: 200,
    json: { success: true },
  })
  const described = await api(shop, 'GET', `/v25.0/${picture.image.id}`)
  expect(described.status).toBe(200)
  const { pathname, search } = new URL(described.json.url)
  const file = await nexkit.call(pathname + search, { token: shop.token })
  expect(await file.text()).toBe('a picture')
})

test('a file can be asked for at once, while it is still being fetched', async () => {
  const media = graph().addMedia({ bytes: Buffer.from('a slow picture'), mimeType: 'image/png' })
  graph().failWhen = ({ path }) => (path.includes(media) ? { kind: 'slow', everyMs: 3 } : null)
  const before = bot.received.length
  await postHook(shop, {
    contacts: [SARI],
    messages: [fromSari({ type: 'image', image: { mime_type: 'image/png', id: media } })],
  })
  await until(() => bot.received.length > before)
  const { status } = await api(shop, 'GET', `/v25.0/${messagesOf(bot).at(-1)?.image.id}`)
  graph().failWhen = null
  expect(status).toBe(200)
})
