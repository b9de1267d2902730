import { Text } from '@mantine/core'
import type { Chat } from '../api/chats.ts'
import type { Message } from '../api/messages.ts'
import { useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'
import { rupiah } from '../ui/Money.tsx'
import { InteractiveView } from './InteractiveView.tsx'
import { MediaView, Place } from './MediaView.tsx'
import { TemplateView } from './TemplateView.tsx'
import { Words, wordsOf } from './Words.tsx'

type ContentProps = {
  message: Message
  /** Null for one that is in no chat yet. */
  chat: Chat | null
  isSimulated: boolean
}

/** What was said, by its kind. */
export function MessageContent({ message, chat, isSimulated }: ContentProps) {
  const say = useSay()
  switch (message.type) {
    case 'image':
    case 'sticker':
    case 'video':
    case 'audio':
    case 'document':
      return (
        <>
          <MediaView message={message} />
          {message.body !== null && <Words text={message.body} />}
        </>
      )
    case 'location':
      return message.location && <Place location={message.location} />
    case 'contacts':
      return <Cards message={message} />
    case 'interactive':
      return <InteractiveView message={message} chat={chat} isSimulated={isSimulated} />
    case 'template':
      return chat && <TemplateView message={message} chat={chat} />
    case 'order':
      return <Cart message={message} />
    default:
      return <Words text={wordsOf(message, say)} />
  }
}

const Cards = ({ message: { contacts } }: { message: Message }) =>
  contacts?.map((card, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: cards have no name of their own, and their order never changes.
    <div key={index} className="file-line">
      <Icon name="people" />
      <div>
        <Text size="sm" fw={600}>
          {card.name?.formatted_name ?? card.name?.first_name ?? '—'}
        </Text>
        {card.org?.company && <Text size="xs">{card.org.company}</Text>}
        {card.phones?.map(({ phone }) => (
          <Text size="xs" className="figures" key={phone}>
            {phone}
          </Text>
        ))}
        {card.emails?.map(({ email }) => (
          <Text size="xs" key={email}>
            {email}
          </Text>
        ))}
      </div>
    </div>
  ))

function Cart({ message: { order } }: { message: Message }) {
  const say = useSay()
  if (order === null) return null
  const total = order.product_items.reduce((sum, { quantity, item_price }) => sum + quantity * item_price, 0)
  return (
    <div style={{ minWidth: 220 }}>
      <Text size="sm" fw={600}>
        {say('message.kind.order')}
      </Text>
      {order.text && <Words text={order.text} />}
      <table className="ledger">
        <tbody>
          {order.product_items.map(({ product_retailer_id, quantity, item_price }) => (
            <tr key={product_retailer_id}>
              <td>
                {quantity} × {product_retailer_id}
              </td>
              <td>{rupiah(quantity * item_price)}</td>
            </tr>
          ))}
          <tr data-sum>
            <td>{say('orders.total')}</td>
            <td>{rupiah(total)}</td>
          </tr>
        </tbody>
      </table>
    </div>
  )
}
