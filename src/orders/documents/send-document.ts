import type { OrgId } from '../../kernel/ids.ts'
import { presentMessage } from '../../messaging/messages/messages.ts'
import { numberNotConnected } from '../../messaging/messaging.errors.ts'
import type { Messaging } from '../../messaging/messaging.ts'
import type { DocumentFile, SendDocument } from '../orders-context.ts'

type DocumentSenderOptions = {
  messaging: Pick<Messaging, 'send'>
  storeFile(orgId: OrgId, file: DocumentFile): Promise<{ id: string }>
}

export const createDocumentSender =
  ({ messaging, storeFile }: DocumentSenderOptions): SendDocument =>
  async ({ order, file, caption, ...rest }) => {
    const { org_id: orgId, chat_id: chatId, customer_phone: phone } = order
    const { id } = await storeFile(orgId, file)
    const content = { type: 'document' as const, body: caption, media: { id, filename: file.filename } }
    const to = chatId === null ? { phone: phone ?? '' } : { chatId }
    return presentMessage(await messaging.send({ orgId, to, from: null, content, orderId: order.id, ...rest }))
  }

/** Where no channel is connected. */
export const refuseDocument: SendDocument = async () => {
  throw numberNotConnected()
}
