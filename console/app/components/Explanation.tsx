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
  // How it stands now is said above the steps that led there, once.
  const said = [story.says, ...story.answer.map(({ says }) => says)]
  const steps = story.steps.filter(({ says }) => !said.includes(says))
  return (
    <Stack gap="sm">
      {hasUrl && (
        <Text size="sm" fw={600} truncate>
          {story.url}
        </Text>
      )}
      <Text size="sm">{story.answer.map(tell).join(' ')}</Text>
      {story.advice.length > 0 && (
        <Text size="sm" fw={500}>
          {story.advice.map(tell).join(' ')}
        </Text>
      )}
      <Timeline bulletSize={10} lineWidth={1} active={steps.length}>
        {steps.map((step) => (
          <Timeline.Item key={`${step.at}${step.code}${step.says}`}>
            <Text size="sm">{tell(step)}</Text>
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
