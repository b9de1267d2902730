import { useTestDatabase } from '../../../../test/support/database.ts'
import { systemClock } from '../../../kernel/clock.ts'
import { newId, type OrgId } from '../../../kernel/ids.ts'
import { type ConnectorWorld, describeChannelConnector } from '../../channel-connector.suite.ts'
import type { ChannelConnector, ChannelNumber } from '../../channel-connector.ts'
import { contactItem, messageItem, payloadOf, statusItem } from './hook-items.ts'
import { hookOf } from './hooks.ts'
import { inboundIdOf } from './seeded.ts'
import { keepFile } from './sending.ts'
import { listMessages } from './simulator.sql.ts'
import { createSimulator } from './simulator.ts'

/** The suite asks for things without waiting for them, as a real network could be asked; what it asks is kept in step here. */
const db = useTestDatabase()

const number: ChannelNumber = {
  orgId: 'org_one' as OrgId,
  id: newId('num'),
  phoneNumberId: '100200300400500',
  displayPhone: '+6281200009000',
  baseUrl: null,
  credentials: { app_secret: 'a secret for the suite' },
  settings: {},
}

const PERSON = { phone: '6281200000002', user_id: 'ID.42', username: null, name: 'Sari' }
const NOW_MS = systemClock.now()

const inbound = (id: string, body: string) =>
  messageItem(PERSON, { providerId: id, atMs: NOW_MS }, payloadOf({ type: 'text', body }))

async function createWorld(): Promise<ConnectorWorld> {
  const { database } = db
  const { connector } = createSimulator({
    ...{
      database,
      clock: systemClock,
    },
    sender: () => {
      throw new Error('nothing is reported here')
    },
    wake: () => {},
  })
  let [received, instead, kept] = [[] as string[], null as string | null, Promise.resolve('')]
  const send: ChannelConnector['send'] = async (from, message, signal) => {
    const to = instead === null ? message.to : { phone: instead, userId: null }
    instead = null
    const outcome = await connector.send(from, { ...message, to }, signal)
    const all = { numberId: number.id, recipients: null, after: null, limit: 1_000 }
    const rows = await listMessages(database, number.orgId, all)
    received = rows.flatMap((row) => Array.from({ length: row.copies }, () => row.message_id))
    return outcome
  }
  const sendInsteadTo = (phone: string) => {
    instead = phone
  }
  const downloadMedia: ChannelConnector['downloadMedia'] = async (from, id, signal) => {
    const actual = await kept
    return connector.downloadMedia(from, id === 'the file' ? actual : id, signal)
  }
  return {
    connector: { ...connector, send, downloadMedia },
    number,
    receivedIds: () => received,
    anInboundText() {
      const [providerId, text] = [inboundIdOf('suite', 'one'), 'Halo, café @ 5 👍']
      const hook = hookOf(number, { contacts: [contactItem(PERSON)], messages: [inbound(providerId, text)] })
      return { hook, body: hook.body, providerId, text, phone: PERSON.phone }
    },
    aBatchWithGarbage() {
      const ids: [string, string] = [inboundIdOf('suite', 'first'), inboundIdOf('suite', 'third')]
      const messages = [inbound(ids[0], 'one'), 'no message at all' as never, inbound(ids[1], 'three')]
      return { body: hookOf(number, { messages }).body, providerIds: ids }
    },
    aStatus({ id }) {
      const message = { recipient: '6281200000001', messageId: id, copy: 1 }
      const status = { status: 'sent', atMs: NOW_MS, form: 'message' } as const
      return hookOf(number, { statuses: [statusItem('nexkit', message, status)] }).body
    },
    throttleNext: () => sendInsteadTo('6281200000108'),
    refuseCredentialsNext: () => sendInsteadTo('6281200000117'),
    loseAnswerNext: () => sendInsteadTo('6281200000110'),
    unreachableNumber: null,
    aRemoteFile(bytes, mimeType) {
      kept = keepFile({ database, clock: systemClock }, number, { bytes, mimeType, filename: null })
      return 'the file'
    },
    close() {},
  }
}

describeChannelConnector('the simulator', createWorld)
