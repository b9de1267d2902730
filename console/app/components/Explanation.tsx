import { Stack, Text, Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { explainQuery, type Story, type StorySentence } from '../api/webhooks.ts'
import { useText } from '../text/text.tsx'
import { Waiting } from '../ui/Message.tsx'
import { exactTime } from '../ui/Time.tsx'
import { storyText } from './story-words.ts'

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
  const { say } = useText()
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
        <StoryView key={story.endpoint_id} story={story} hasUrl={endpointId === undefined} />
      ))}
    </Stack>
  )
}

function StoryView({ story, hasUrl }: { story: Story; hasUrl: boolean }) {
  const { language, serverWords } = useText()
  const tell = (sentence: StorySentence) => storyText(serverWords, sentence, language)
  const answer = story.answer.map(tell).join(' ')
  return (
    <Stack gap="sm">
      {hasUrl && (
        <Text size="sm" fw={600} truncate>
          {story.url}
        </Text>
      )}
      <Text size="sm">{answer}</Text>
      {story.advice.length > 0 && (
        <Text size="sm" fw={500}>
          {story.advice.map(tell).join(' ')}
        </Text>
      )}
      <Timeline bulletSize={10} lineWidth={1} active={story.steps.length}>
        {story.steps.map((step) => (
          <Timeline.Item key={`${step.at}${step.code}${step.says}`}>
            {/* How it ended is the answer itself. */}
            <Text size="sm">{step.says === story.says ? answer : tell(step)}</Text>
            {step.at !== null && (
              <Text size="xs" className="quiet figures">
                {exactTime(step.at, language)}
              </Text>
            )}
          </Timeline.Item>
        ))}
      </Timeline>
    </Stack>
  )
}
