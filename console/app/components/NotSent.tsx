import { Text } from '@mantine/core'
import { Problem } from '../api/problem.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { isTakenBack } from './attachment.ts'

/** Why a message did not go out. A server that did not answer is no refusal: everything is still there, to be sent again. */
export function NotSent({ error }: { error: Error | null }) {
  const say = useSay()
  if (isTakenBack(error)) return null
  if (!(error instanceof Problem) || error.status !== 0) return <ProblemMessage error={error} />
  return (
    <Text size="sm" role="alert" mb={6} style={{ color: 'var(--bad)' }}>
      {say('composer.offline')}
    </Text>
  )
}
