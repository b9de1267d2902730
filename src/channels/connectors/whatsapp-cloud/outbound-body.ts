import type { OutboundMessage } from '../../channel-connector.ts'
import type { MediaReference, MessageContent } from '../../content/message-content.ts'
import { compact } from './json-reading.ts'

/**
 * A message as Graph wants it. Our content takes over WhatsApp's own shapes where it has some, so most of this is putting
 * things under their names.
 */
export type GraphBody = Record<string, unknown>

/** Null for content that only ever comes in. */
export function outboundBody(message: OutboundMessage): GraphBody | null {
  const content = contentBody(message)
  if (content === null) return null
  const isReaction = message.content.type === 'reaction'
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...recipientOf(message),
    ...(message.replyToProviderId !== null && !isReaction && { context: { message_id: message.replyToProviderId } }),
    type: message.content.type,
    [message.content.type]: content,
    ...(message.identityKeyHash !== undefined && { recipient_identity_key_hash: message.identityKeyHash }),
    biz_opaque_callback_data: message.id,
  }
}

/** With the plus: without it the network takes the number for a national one and puts the sender's country before it. */
const recipientOf = ({ to }: OutboundMessage) => (to.phone === null ? { recipient: to.userId } : { to: `+${to.phone}` })

function contentBody(message: OutboundMessage): unknown {
  const { content } = message
  switch (content.type) {
    case 'text':
      return compact({ body: content.body, preview_url: content.preview_url })
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
      return mediaBody(content, message.providerMediaId)
    case 'location': {
      const { latitude, longitude, name, address } = content.location
      return compact({ latitude, longitude, name, address })
    }
    case 'contacts':
      return content.contacts
    case 'interactive':
      return content.body === undefined || content.interactive.body !== undefined
        ? content.interactive
        : { ...content.interactive, body: { text: content.body } }
    case 'template':
      return content.template
    case 'reaction':
      return { message_id: message.reactsToProviderId, emoji: content.reaction.emoji }
    default:
      return null
  }
}

type MediaContent = Extract<MessageContent, { media: MediaReference }>

function mediaBody({ type, body, media }: MediaContent, providerMediaId: string | null): GraphBody {
  const hasCaption = type === 'image' || type === 'video' || type === 'document'
  return compact({
    ...(providerMediaId === null ? { link: media.link } : { id: providerMediaId }),
    caption: hasCaption ? body : undefined,
    filename: type === 'document' ? media.filename : undefined,
    voice: type === 'audio' ? media.voice : undefined,
  })
}
