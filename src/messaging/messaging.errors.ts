import { defineError } from '../kernel/errors.ts'

export const chatNotFound = defineError({
  code: 'chat_not_found',
  status: 404,
  title: 'Chat not found',
  says: 'There is no chat with this customer. Send a message first, or wait for one.',
  cause:
    'A chat exists from the first message in either direction. This customer has none, or none on the business number you named.',
  fix: 'Name the chat by its id, or by the phone number (in any usual spelling), the business-scoped user id or the @username of the customer. If there is no chat yet, send a message.',
  example: { params: { chat: '+6281234567890' } },
})

export const messageNotFound = defineError({
  code: 'message_not_found',
  status: 404,
  title: 'Message not found',
  says: 'There is no message with this id in the organization. Check the id.',
  cause:
    'No message of the organization has this id, it belongs to another chat than the one you reply to, or it was a scheduled message that was cancelled.',
  fix: 'Check the id. Message ids begin with `msg_`. A reply or reaction needs a message of the same chat.',
  example: { params: { id: 'msg_01k9x3m5q8e0t9v7a2b4c6d8fg' } },
})

export const contactNotFound = defineError({
  code: 'contact_not_found',
  status: 404,
  title: 'Contact not found',
  says: 'There is no contact with this id in the organization. Check the id.',
  cause:
    'No contact of the organization has this id. Contact ids begin with `con_`. When two contacts are merged, both ids stay valid.',
  fix: 'Find the contact with `GET /contacts`.',
})

export const noteNotFound = defineError({
  code: 'note_not_found',
  status: 404,
  title: 'Note not found',
  says: 'There is no note with this id about this customer. Check the id.',
  cause: 'No note about the customer has this id. The ids begin with `nte_`. It may have been deleted.',
  fix: 'Find the note with `GET /contacts/{id}/notes`.',
  example: { params: { id: 'nte_01k9x3m5q8e0t9v7a2b4c6d8fg' } },
})

export const savedReplyNotFound = defineError({
  code: 'saved_reply_not_found',
  status: 404,
  title: 'Saved reply not found',
  says: 'There is no saved reply with this id. Check the id, or find it with `GET /saved-replies`.',
  cause: 'No saved reply of the organization has this id. The ids begin with `srp_`. It may have been deleted.',
  fix: 'Find the saved reply with `GET /saved-replies?q=`.',
  example: { params: { id: 'srp_01k9x3m5q8e0t9v7a2b4c6d8fg' } },
})

export const savedReplyShortcutTaken = defineError({
  code: 'saved_reply_shortcut_taken',
  status: 409,
  title: 'Shortcut already used',
  says: 'Another saved reply already has this shortcut; `params.saved_reply_id` is that reply. Choose another shortcut.',
  cause: 'People insert a saved reply by its shortcut, so it is unique within the organization.',
  fix: 'Choose another shortcut, or edit the saved reply in `params.saved_reply_id`.',
  example: { params: { saved_reply_id: 'srp_01k9x3m5q8e0t9v7a2b4c6d8fg', shortcut: 'ready' } },
})

export const numberNotConnected = defineError({
  code: 'number_not_connected',
  status: 409,
  title: 'Business number not connected',
  says: 'The message cannot be sent because this business number is not connected. Connect it, or name another in `from`.',
  cause:
    'Messages are sent from the number in `from`, otherwise from the default number, otherwise from the oldest connected one. That number is disconnected, or there is none.',
  fix: 'Connect a number in the console or with `npx nexkit number create`, or name a connected one in `from`.',
})

export const replyWindowClosed = defineError({
  code: 'reply_window_closed',
  status: 409,
  title: 'Reply window closed',
  says: 'The customer has not written within the last 24 hours, so only a template can be sent. Send one with `type: "template"`, or wait until the customer writes.',
  cause:
    'WhatsApp delivers free-form messages only within 24 hours of the last message or call of the customer. `reply_window.closes_at` of the chat is the end of that time.',
  fix: 'Send an approved template (`type: "template"`). When the customer answers it, the window opens again.',
  example: {
    params: { chat_id: 'cht_01k9x3m5q8e0t9v7a2b4c6d8fg', last_inbound_at: '2026-11-12T09:30:00.000Z' },
  },
})

export const recipientOptedOut = defineError({
  code: 'recipient_opted_out',
  status: 409,
  title: 'Customer opted out of marketing messages',
  says: 'The customer opted out of marketing messages from this number, so this template would not be delivered. Send no marketing template.',
  cause:
    'Customers can stop and resume the marketing messages of a business in WhatsApp. `params.opted_out_at` is when they stopped them; `marketing_opt_outs` of the contact lists the numbers.',
  fix: 'Send another template, or an answer within the reply window; those still reach the customer. The opt-out ends when WhatsApp reports it, which needs the webhook field `user_preferences`.',
  example: { params: { contact_id: 'con_01k9x3m5q8e0t9v7a2b4c6d8fg', opted_out_at: '2026-11-12T09:30:00.000Z' } },
})

export const messageNotScheduled = defineError({
  code: 'message_not_scheduled',
  status: 409,
  title: 'Message is not scheduled',
  says: 'Only a scheduled message can be cancelled; this one is being sent or was sent.',
  cause: 'A message with `send_at` can be cancelled until that time. `params.status` is its status now.',
  fix: 'It can no longer be cancelled. Send a correction instead.',
  example: { params: { id: 'msg_01k9x3m5q8e0t9v7a2b4c6d8fg', status: 'sent' } },
})

export const templateNotFound = defineError({
  code: 'template_not_found',
  status: 404,
  title: 'Template not found',
  says: 'The number has no template with this name in this language. Correct the name or the language, or have it approved first.',
  cause:
    'Templates belong to the WhatsApp business account of a number, and each language is a separate template. Templates of a WhatsApp Cloud number are read from Meta every few minutes, and within half a minute after a failure; `params.read_at` is the last time.',
  fix: 'Correct the name or the language: `params.suggestion` is the nearest template, `params.languages` are its languages. `GET /{phone_number_id}/message_templates` of the Cloud API lists all of them.',
  example: { params: { name: 'order_ready', language: 'en', suggestion: 'order_ready', languages: ['id'] } },
})

export const templateNotApproved = defineError({
  code: 'template_not_approved',
  status: 409,
  title: 'Template not approved',
  says: 'WhatsApp does not send this template in its current status, which is `params.status`. Choose another one.',
  cause:
    'WhatsApp sends only approved templates. This one is pending, rejected, or was paused or disabled because of its quality.',
  fix: 'Choose another template, or see the reason in Meta’s template manager.',
  example: { params: { name: 'order_ready', language: 'id', status: 'paused' } },
})

export const templateParametersWrong = defineError({
  code: 'template_parameters_wrong',
  status: 409,
  title: 'Template parameters do not match',
  says: 'The parameters do not match the template; see "errors" for each of them.',
  cause:
    'A template needs a value for each placeholder and accepts no others: `{{1}}` or `{{name}}` in header and body, the image, video, document or location of a header, and the URL suffix or code of a button.',
  fix: 'Each entry of `errors` names a parameter that is missing, superfluous or of another type. Correct those and send the request again.',
})
