import { Text } from '@mantine/core'
import { DeviceRefusal } from '../api/passkeys.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'

/** Why a passkey was not added or did not sign in: the device's reason, or the server's. */
export function PasskeyMessage({ error }: { error: unknown }) {
  const say = useSay()
  if (!(error instanceof DeviceRefusal)) return <ProblemMessage error={error} />
  return (
    <Text size="sm" role="alert" style={{ color: 'var(--bad)' }}>
      {say(`passkeys.${error.reason}`)}
    </Text>
  )
}
