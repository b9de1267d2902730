import { Anchor, Text } from '@mantine/core'
import type { Message } from '../api/messages.ts'
import { useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'

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
