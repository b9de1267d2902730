import { Stack, Text, Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { explainQuery } from '../api/webhooks.ts'
import { useText } from '../text/text.tsx'
import { Waiting } from '../ui/Message.tsx'
import { exactTime } from '../ui/Time.tsx'

/** "Why did event X not reach endpoint Y?", step by step as it happened. */
export function Explanation({
  eventId,
  endpointId,
  progress,
}: {
  eventId: string
  endpointId?: string
  progress?: string
}) {
  const { say, language } = useText()
  const explanation = useQuery(explainQuery(eventId, progress))
  if (explanation.data === undefined) return <Waiting error={explanation.error} />
  const stories = explanation.data.stories.filter(
    (story) => endpointId === undefined || story.endpoint_id === endpointId,
  )
  if (stories.length === 0)
    return (
      <Text size="sm" className="quiet">
        {say('explain.none')}
      </Text>
    )
  return (
    <Stack gap="lg">
      {stories.map((story) => (
        <Stack key={story.endpoint_id} gap="sm">
          {endpointId === undefined && (
            <Text size="sm" fw={600} truncate>
              {story.url}
            </Text>
          )}
          <Text size="sm">{story.says}</Text>
          {story.next_step !== null && (
            <Text size="sm" fw={500}>
              {story.next_step}
            </Text>
          )}
          <Timeline bulletSize={10} lineWidth={1} active={story.steps.length}>
            {story.steps.map((step) => (
              <Timeline.Item key={`${step.at}${step.code}${step.says}`}>
                <Text size="sm">{step.says}</Text>
                {step.at !== null && (
                  <Text size="xs" className="quiet figures">
                    {exactTime(step.at, language)}
                  </Text>
                )}
              </Timeline.Item>
            ))}
          </Timeline>
        </Stack>
      ))}
    </Stack>
  )
}
