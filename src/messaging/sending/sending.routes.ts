import type { z } from 'zod'
import { contentOf } from '../../channels/content/message-content.schemas.ts'
import { mediaNotFound } from '../../channels/media/media.errors.ts'
import { defineRoute, key, type RequestContext } from '../../platform/http/define-route.ts'
import { valueRefused } from '../../platform/http/http.errors.ts'
import { Message, messageExample, NewMessage } from '../messages/messages.schemas.ts'
import { presentMessage } from '../messages/messages.ts'
import {
  chatNotFound,
  messageNotFound,
  numberNotConnected,
  recipientOptedOut,
  replyWindowClosed,
  templateNotApproved,
  templateNotFound,
  templateParametersWrong,
} from '../messaging.errors.ts'
import type { Sender } from './acceptance.ts'
import type { NewOutboundMessage } from './outbound-message.ts'

/** The route that accepts messages. Those that read messages are in messages.routes.ts. */
export type SendRoutesContext = { sender: Pick<Sender, 'send' | 'rehearse'> }

export const sendRoutes = (context: SendRoutesContext) => [
  defineRoute({
    id: 'sendMessage',
    method: 'POST',
    path: '/messages',
    tag: 'Messages',
    summary: 'Send a message',
    description:
      'Accepts a message to be sent now or at `send_at`. 201 means that it is stored; messages of a chat are sent in order. Its `status` and the events `message.*` report when it is sent, delivered and read. A text needs only `to` and `body`; other types need `type` and the field of the same name.',
    access: key('messages:send'),
    agentTool: {
      decision: 'ask',
      rank: 1,
      target: 'recipient',
      isMessage: true,
      isAdditive: true,
      answersOwnWords: true,
    },
    idempotency: 'own',
    body: NewMessage,
    reply: { status: 201, body: Message, description: 'Accepted.' },
    location: (message) => `/messages/${message.id}`,
    errors: [
      valueRefused,
      numberNotConnected,
      replyWindowClosed,
      recipientOptedOut,
      chatNotFound,
      messageNotFound,
      mediaNotFound,
      templateNotFound,
      templateNotApproved,
      templateParametersWrong,
    ],
    example: { body: { to: '+6281234567890', body: 'Halo Kak, pesanan sudah siap.' }, reply: messageExample },
    rehearse: (call) => context.sender.rehearse(outboundOf(call)),
    handle: async ({ claim, companion, ...call }) =>
      presentMessage(await context.sender.send({ ...outboundOf(call), claim, companion })),
  }),
]

type SendCall = Pick<RequestContext, 'caller' | 'requestId' | 'path'> & { body: z.output<typeof NewMessage> }

const outboundOf = ({ caller, requestId, path, body }: SendCall): NewOutboundMessage => ({
  orgId: caller.orgId,
  to: { text: body.to },
  from: body.from ?? null,
  content: contentOf(body as Parameters<typeof contentOf>[0]),
  replyTo: body.reply_to ?? null,
  sendAt: body.send_at === undefined ? null : new Date(body.send_at),
  clientReference: body.client_reference ?? null,
  metadata: body.metadata ?? {},
  sender: { type: caller.type, id: caller.id },
  requestId,
  location: path,
})
