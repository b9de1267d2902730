import { Anchor, Text } from '@mantine/core'
import { useState } from 'react'
import { type Message, mediaUrl } from '../api/messages.ts'
import { useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'

/**
 * A file of a message. Pictures keep their room while they load, so that nothing jumps. Their caption is read below them, so the
 * alternative text says what they are: with an order, its QR code.
 */
export function MediaView({ message }: { message: Message }) {
  const say = useSay()
  const [isMissing, setMissing] = useState(false)
  const { media } = message
  const source = media?.id === undefined ? null : mediaUrl(media.id)
  const isShown = source !== null && !isMissing
  const miss = () => setMissing(true)
  if (isShown && (message.type === 'image' || message.type === 'sticker'))
    return (
      <a href={source} target="_blank" rel="noopener noreferrer">
        <img
          className={message.order_id === null ? 'picture' : 'picture tall-picture'}
          src={source}
          alt={say(message.order_id === null ? `message.kind.${message.type}` : 'payment.qr')}
          loading="lazy"
          onError={miss}
        />
      </a>
    )
  if (isShown && message.type === 'video')
    return (
      // biome-ignore lint/a11y/useMediaCaption: a customer's own video comes without captions.
      <video className="picture" src={source} controls preload="metadata" onError={miss} />
    )
  if (isShown && message.type === 'audio')
    return (
      // biome-ignore lint/a11y/useMediaCaption: a voice note comes without captions.
      <audio src={source} controls preload="metadata" style={{ width: 260, maxWidth: '100%' }} onError={miss} />
    )
  return <FileLine message={message} source={message.type === 'document' ? source : null} isMissing={isMissing} />
}

function FileLine({
  message: { media, type },
  source,
  isMissing,
}: {
  message: Message
  source: string | null
  isMissing: boolean
}) {
  const say = useSay()
  const name = media?.filename ?? say(`message.kind.${type}`)
  const href = source ?? media?.link
  return (
    <div className="file-line">
      <Icon name="file" />
      <div style={{ minWidth: 0 }}>
        {href === undefined ? (
          <Text size="sm">{name}</Text>
        ) : (
          <a href={href} target="_blank" rel="noopener noreferrer" style={{ color: 'inherit' }}>
            {name}
          </a>
        )}
        <Text size="xs" className="quiet">
          {isMissing
            ? say('message.fileMissing')
            : [media?.mime_type, sizeOf(media?.bytes)].filter(Boolean).join(' · ')}
        </Text>
      </div>
    </div>
  )
}

const sizeOf = (bytes: number | undefined) =>
  bytes === undefined
    ? null
    : bytes < 1_000_000
      ? `${Math.ceil(bytes / 1000)} KB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`

/** A place on the map, which can be followed there. */
export function Place({ location }: { location: NonNullable<Message['location']> }) {
  const say = useSay()
  const { latitude, longitude } = location
  return (
    <div>
      <div className="file-line">
        <Icon name="place" />
        <div>
          <Text size="sm" fw={600}>
            {location.name ?? say('message.kind.location')}
          </Text>
          {location.address && <Text size="xs">{location.address}</Text>}
        </div>
      </div>
      <Anchor
        size="xs"
        target="_blank"
        rel="noopener noreferrer"
        className="figures"
        underline="always"
        href={`https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`}
      >
        {latitude.toFixed(5)}, {longitude.toFixed(5)}
      </Anchor>
    </div>
  )
}
