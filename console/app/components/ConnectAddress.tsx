import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { connectionAddressQuery } from '../api/connections.ts'
import { useSay } from '../text/text.tsx'
import { CopyButton } from '../ui/Copy.tsx'

/** The simple way to an agent: one address, typed into the program. */
export function ConnectAddress() {
  const say = useSay()
  const { data } = useQuery(connectionAddressQuery)
  return (
    <Stack gap={4} className="connect-address">
      <Text size="sm">{say('connect.address')}</Text>
      <Text size="sm" className="mono" style={{ overflowWrap: 'anywhere' }}>
        {data?.url ?? '…'} {data !== undefined && <CopyButton value={data.url} label={say('connect.copyAddress')} />}
      </Text>
    </Stack>
  )
}
