import { z } from 'zod'
import { mediaNotFound } from '../../channels/media/media.errors.ts'
import { Message, messageExample } from '../../messaging/messages/messages.schemas.ts'
import { presentMessage } from '../../messaging/messages/messages.ts'
import {
  messageNotFound,
  numberNotConnected,
  recipientOptedOut,
  replyWindowClosed,
  templateNotApproved,
  templateNotFound,
  templateParametersWrong,
} from '../../messaging/messaging.errors.ts'
import { type AgainContext, sendAgain } from '../../messaging/sending/sending.ts'
import { defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import { valueRefused } from '../../platform/http/http.errors.ts'
import { idSchema } from '../../platform/http/schemas.ts'

/**
 * Resends a message, for people who may send messages. The page cannot do it with a copy, because a message contains
 * more than the page shows.
 */
export const messageRoutes = (context: AgainContext): Route[] => [
  defineRoute({
    tag: 'Messages',
    description: 'Of the console.',
    access: key('messages:send'),
    id: 'sendMessageAgain',
    method: 'POST',
    path: '/messages/{id}/again',
    summary: 'Resend a message',
    idempotency: 'own',
    params: z.object({ id: idSchema('msg') }),
    body: z.strictObject({}),
    reply: { status: 201, body: Message, description: 'Accepted, as a new message.' },
    errors: [
      messageNotFound,
      valueRefused,
      numberNotConnected,
      replyWindowClosed,
      recipientOptedOut,
      mediaNotFound,
      templateNotFound,
      templateNotApproved,
      templateParametersWrong,
    ],
    example: { params: { id: messageExample.id }, body: {}, reply: messageExample },
    async handle({ caller, params, claim, companion, requestId }) {
      const sender = { type: caller.type, id: caller.id }
      const { orgId } = caller
      return presentMessage(await sendAgain(context, { orgId, id: params.id, sender, requestId, claim, companion }))
    },
  }),
]
