import { defineError } from '../kernel/errors.ts'

export const chatNotFound = defineError({
  code: 'chat_not_found',
  status: 404,
  title: 'There is no such chat',
  says: 'There is no chat with this customer. Send a message first, or wait for one.',
  help: 'A chat can be named by the phone number of the customer in any usual spelling, by its id, by the business-scoped user id of the customer or by their @username. It exists from the first message in either direction on.',
})

export const messageNotFound = defineError({
  code: 'message_not_found',
  status: 404,
  title: 'There is no such message',
  says: 'There is no message with this id in the organization.',
  help: 'Ids of messages begin with `msg_`. A message that is replied to or reacted to has to be one of the same chat. A scheduled message that was called back is gone.',
})

export const contactNotFound = defineError({
  code: 'contact_not_found',
  status: 404,
  title: 'There is no such contact',
  says: 'There is no contact with this id in the organization.',
  help: 'Ids of contacts begin with `con_`. When two contacts turn out to be one person, both ids lead to the same contact.',
})

export const numberNotConnected = defineError({
  code: 'number_not_connected',
  status: 409,
  title: 'No connected business number',
  says: 'The message cannot be sent because this business number is not connected. Connect it, or name another in `from`.',
  help: 'Messages leave from the number named by `from`, else from the default number, else from the oldest connected one. `npx nexkit number create` connects one.',
})

export const replyWindowClosed = defineError({
  code: 'reply_window_closed',
  status: 409,
  title: 'The reply window is closed',
  says: 'The customer has not written within the last 24 hours, so only a template can be sent. Send one with `type: "template"`, or wait until the customer writes.',
  help: 'WhatsApp takes free-form messages only within 24 hours of the last message or call of the customer. `reply_window.closes_at` of the chat says until when. Outside of it an approved template reaches the customer, and the answer to it opens the window again.',
})

export const recipientOptedOut = defineError({
  code: 'recipient_opted_out',
  status: 409,
  title: 'The customer has stopped marketing messages',
  says: 'The customer wants no marketing messages from this number, so this template would not be delivered. Send nothing, or a template that is no marketing.',
  help: 'People can stop the marketing messages of a business in WhatsApp and resume them there. `marketing_opt_outs` of the contact lists the numbers, `params.opted_out_at` says since when. Other templates, and answers within the reply window, still reach them. It is forgotten when WhatsApp tells that they resumed, which it does when the webhook field `user_preferences` is subscribed.',
})

export const messageNotScheduled = defineError({
  code: 'message_not_scheduled',
  status: 409,
  title: 'The message is not scheduled',
  says: 'Only a message that is still scheduled can be called back; this one is on its way or was sent.',
  help: 'A message with `send_at` can be deleted until that moment. What was handed to the network cannot be called back.',
})

export const templateNotFound = defineError({
  code: 'template_not_found',
  status: 404,
  title: 'There is no such template',
  says: 'The number has no template with this name in this language. Correct the name or the language, or have it approved first.',
  help: 'Templates belong to the business account behind a number and exist in each language by themselves. `GET /{phone_number_id}/message_templates` in Meta’s dialect lists them. `params.suggestion` names the nearest one, `params.languages` the languages that there are. Of a WhatsApp Cloud number they are read from Meta every few minutes and after a refusal, so one that was approved a moment ago is found within half a minute; `params.read_at` says when they were read.',
})

export const templateNotApproved = defineError({
  code: 'template_not_approved',
  status: 409,
  title: 'The template cannot be sent now',
  says: 'WhatsApp does not send this template in its present state, which `params.status` names. Choose another one.',
  help: 'A template is sent once it is approved. It can be waiting for that, refused, or paused or disabled later because of its quality; Meta’s template manager says why.',
})

export const templateParametersWrong = defineError({
  code: 'template_parameters_wrong',
  status: 409,
  title: 'The parameters do not fit the template',
  says: 'What is given is not what the template takes; see "errors" for each place.',
  help: 'Every blank of a template has to be filled and nothing else can be: `{{1}}` or `{{name}}` in header and body, the picture, video, document or place of a header, the ending of an address or the code behind a button. `errors` names each blank that is missing and each parameter that is too much or of another kind.',
})
