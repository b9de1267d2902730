import { type AuditContext, recordAudit } from '../../accounts/audit/audit.ts'
import type { Channels } from '../../channels/channels.ts'
import { mediaNotFound } from '../../channels/media/media.errors.ts'
import {
  beginMedia,
  checkReferredFiles,
  deleteMedia,
  listMedia,
  openMedia,
  storeDraft,
} from '../../channels/media/media.ts'
import { accountIdOf, listNumbers } from '../../channels/numbers/numbers.ts'
import { ProblemError } from '../../kernel/errors.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import { getChat } from '../../messaging/chats/chats.ts'
import { getMessage } from '../../messaging/messages/messages.ts'
import { messageNotFound } from '../../messaging/messaging.errors.ts'
import type { Messaging } from '../../messaging/messaging.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/pipeline/caller.ts'
import {
  findRegistered,
  isCallbackSecret,
  registerCallback,
  unregisterCallback,
} from '../../webhooks/management/management.ts'
import type { WebhooksContext } from '../../webhooks/webhooks-context.ts'
import type {
  CloudApiMedia,
  CloudApiMessaging,
  CloudApiNumbers,
  CloudApiRecipient,
  CloudApiSubscriptions,
  RequestTrace,
} from './cloud-api-context.ts'

/** Callbacks as webhook endpoints. Keys that register one leave an entry in the audit log, as with our own API. */
export const cloudApiSubscriptions = (webhooks: WebhooksContext, audit: AuditContext): CloudApiSubscriptions => {
  const enter =
    ({ type, id, orgId }: Caller, { requestId, address }: RequestTrace) =>
    (tx: Tx, { id: subject }: { id: string }, act: string) =>
      recordAudit(audit, tx, orgId, { actor: { type, id, name: null }, act, subject, requestId, address })
  const initiatorOf = ({ type, id }: Caller, { requestId }: RequestTrace) => ({
    actor: { type, id },
    requestId,
  })
  return {
    register: (caller, callback, request) =>
      registerCallback(
        webhooks,
        { orgId: caller.orgId, callback, ...initiatorOf(caller, request) },
        enter(caller, request),
      ),
    async find(orgId, name) {
      const endpoint = await findRegistered(webhooks.database, orgId, name)
      return endpoint && { url: endpoint.url, isActive: endpoint.state === 'enabled', events: endpoint.events }
    },
    async unregister(caller, name, request) {
      const registration = { orgId: caller.orgId, name, ...initiatorOf(caller, request) }
      await unregisterCallback(webhooks, registration, enter(caller, request))
    },
    hasSecret: (orgId, secret) => isCallbackSecret(webhooks, orgId, secret),
  }
}

/** The capabilities as the dialect wants them. */
export type Capabilities = { database: Database; messaging: Messaging; channels: Channels }

export const cloudApiCapabilities = (capabilities: Capabilities) => ({
  messaging: messagingOf(capabilities),
  numbers: numbersOf(capabilities),
  media: mediaOf(capabilities),
})

/**
 * Returns null for a missing resource instead of throwing our problem, because the dialect has its own error for it.
 */
async function absentAsNull<Value>(code: string, finding: Promise<Value>): Promise<Value | null> {
  try {
    return await finding
  } catch (error) {
    if (error instanceof ProblemError && error.code === code) return null
    throw error
  }
}

const recipientOf = (to: CloudApiRecipient) => ('phone' in to ? to : { text: to.userId })

const messagingOf = ({ database, messaging }: Capabilities): CloudApiMessaging => ({
  sendMessage: ({ orgId, type, id }, { numberId, to, ...message }) =>
    messaging.send({ ...message, orgId, to: recipientOf(to), from: numberId, sender: { type, id } }),
  async findMessage(orgId, numberId, name) {
    if ('providerId' in name)
      return messaging.findMessageByProviderId(database, orgId, { numberId, providerId: name.providerId })
    const message = await absentAsNull(messageNotFound.code, getMessage(database, orgId, name.id))
    return message?.number_id === numberId ? message : null
  },
  markRead: ({ orgId, type, id }, { messageId, isTyping, requestId }) =>
    database.transaction(async (tx) => {
      const { chat_id: chatId } = await getMessage(tx, orgId, messageId)
      // Found by its id, which needs no country.
      const reference = { text: chatId, number: null, defaultCountry: '' }
      const chat = await getChat(messaging.context, tx, orgId, reference)
      const change = { actor: { type, id }, requestId }
      await messaging.markRead(tx, { chat, upTo: messageId, isTyping, change })
    }),
})

const numbersOf = ({ database, messaging, channels }: Capabilities): CloudApiNumbers => ({
  async find(orgId, phoneNumberId) {
    const number = await messaging.context.directory.find(orgId, phoneNumberId)
    // The directory knows numbers by their phone as well, which is no id of the dialect.
    const isNamed = number?.id === phoneNumberId || number?.phoneNumberId === phoneNumberId
    return isNamed && number?.state !== 'disconnected' ? number : null
  },
  async list(orgId) {
    const numbers = await listNumbers(database, orgId)
    return numbers
      .filter(({ state }) => state !== 'disconnected')
      .map((number) => ({
        id: number.id,
        phoneNumberId: number.phone_number_id,
        displayPhone: number.display_phone,
        name: number.name,
        accountId: accountIdOf(number),
        isManaged: channels.connectors.get(number.connector)?.manage !== undefined,
        isSimulated: channels.connectors.get(number.connector)?.isSimulated ?? false,
      }))
  },
  async manage(orgId, id, call, signal) {
    const opened = await channels.numbers.open(orgId, id)
    if (opened?.connector.manage === undefined) return null
    const reply = await opened.connector.manage(opened.number, call, signal)
    const isChange = call.method !== 'GET' && (call.edge === 'message_templates' || call.about === 'template')
    if (isChange && reply.status < 300) await refreshTemplates({ messaging, channels }, orgId, id)
    return reply
  },
})

/** The next message must see a template that was created, edited or deleted a moment ago. */
async function refreshTemplates(
  { messaging, channels }: Pick<Capabilities, 'messaging' | 'channels'>,
  orgId: OrgId,
  id: Id<'num'>,
): Promise<void> {
  const number = await messaging.context.directory.find(orgId, id)
  if (number !== null) await channels.templates.refresh({ ...number, orgId })
}

const mediaOf = ({ database, channels }: Capabilities): CloudApiMedia => ({
  check: (orgId, content) => checkReferredFiles(database, orgId, content),
  begin: () => beginMedia(channels.media),
  store: (orgId, upload) => storeDraft(channels.media, orgId, upload),
  find: async (orgId, id) => (await listMedia(database, orgId, [id]))[0] ?? null,
  open: (orgId, id) => absentAsNull(mediaNotFound.code, openMedia(channels.media, orgId, id)),
  delete: async (orgId, id) =>
    (await absentAsNull(
      mediaNotFound.code,
      deleteMedia(channels.media, orgId, id).then(() => true),
    )) ?? false,
})
