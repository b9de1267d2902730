import { Alert, Anchor, Button, Stack, Text } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import type { Problem } from '../api/problem.ts'
import { useSay } from '../text/text.tsx'
import { CopyButton } from './Copy.tsx'
import { Icon, type IconName } from './Icon.tsx'
import { Skeleton } from './Skeleton.tsx'
import { useRefusal } from './submission.ts'

/** What happened, why, what to do, and the request id to ask about. */
export function ProblemMessage({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const say = useSay()
  const problem = useRefusal(error)
  if (error === null || error === undefined) return null
  // What is not there does not come by asking again.
  const isAbsent = problem?.status === 404
  return (
    <Alert color="red" variant="light" title={say(isAbsent ? 'error.absent' : 'error.title')} role="alert">
      <Text size="sm">{problem?.message ?? (error instanceof Error ? error.message : String(error))}</Text>
      <FieldMessages problem={problem} />
      {problem?.requestId && (
        <Text size="xs" className="mono" mt={4}>
          {say('error.requestId')} {problem.requestId} <CopyButton value={problem.requestId} />
        </Text>
      )}
      {onRetry && !isAbsent && (
        <Button size="xs" variant="default" mt="sm" onClick={onRetry}>
          {say('act.retry')}
        </Button>
      )}
    </Alert>
  )
}

/** What is wrong with each field, where no form shows it. */
export const FieldMessages = ({ problem }: { problem: Problem | null }) =>
  problem?.fields.map((field) => (
    <Text size="sm" key={`${field.pointer}${field.parameter}${field.code}`}>
      {field.pointer ?? field.parameter}: {field.detail}
    </Text>
  ))

/** Below a form: what is about none of its fields. The rest stands at the fields. */
export const RefusalMessage = ({ refusal }: { refusal: Problem | null }) =>
  refusal !== null && refusal.fields.length === 0 && <ProblemMessage error={refusal} />

/** What is on its way, in grey; or why it does not come. */
export function Waiting({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const say = useSay()
  if (error !== null) return <ProblemMessage error={error} {...(onRetry && { onRetry })} />
  return (
    <Stack gap="sm" data-waiting role="status" aria-busy="true" aria-label={say('list.loading')}>
      {['40%', '100%', '90%', '70%'].map((width) => (
        <Skeleton key={width} height={14} width={width} />
      ))}
    </Stack>
  )
}

/** Named in the address and not in its list, which may only be older: it is looked for once more before it is called absent. */
export function Absent(props: { detail: string; look: () => Promise<unknown>; onBack: () => void }) {
  const say = useSay()
  const { look } = props
  const [isSure, setSure] = useState(false)
  useEffect(() => {
    look().finally(() => setSure(true))
  }, [look])
  if (!isSure) return <Waiting error={null} />
  return (
    <Alert color="red" variant="light" title={say('error.absent')} role="alert">
      <Text size="sm">{props.detail}</Text>
      <Button size="xs" variant="default" mt="sm" onClick={props.onBack}>
        {say('act.back')}
      </Button>
    </Alert>
  )
}

/** An empty place teaches: a picture, one sentence, one button, one thing to paste, and the guide. */
export function EmptyMessage({
  title,
  detail,
  picture,
  guide,
  children,
}: {
  title: string
  detail?: string
  picture?: IconName
  /** The name of a guide of the docs, or the path of another page. */
  guide?: string
  children?: ReactNode
}) {
  const say = useSay()
  return (
    <Stack className="empty" align="flex-start" gap="sm">
      {picture !== undefined && (
        <div className="empty-picture" aria-hidden="true">
          <i />
          <i />
          <span>
            <Icon name={picture} size={26} />
          </span>
        </div>
      )}
      <Text fw={600} size="lg">
        {title}
      </Text>
      {detail && (
        <Text size="sm" className="quiet">
          {detail}
        </Text>
      )}
      {children}
      {guide !== undefined && (
        <Anchor href={`/docs/${guide.includes('/') ? guide : `guides/${guide}`}`} target="_blank" size="sm">
          {say('start.docs')}
        </Anchor>
      )}
    </Stack>
  )
}
