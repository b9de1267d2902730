import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ChannelTemplate, type Chat, templatesQuery } from '../api/chats.ts'
import type { Message } from '../api/messages.ts'
import { useSay } from '../text/text.tsx'
import { MediaView } from './MediaView.tsx'
import { Place } from './Place.tsx'
import { TemplateLook } from './TemplateLook.tsx'
import { headerGiven, partsOf, wordsGiven } from './template-parts.ts'
import { Words } from './Words.tsx'

/** A template as the customer reads it, where its text is known; else its name and what filled its blanks. */
export function TemplateView({ message, chat }: { message: Message; chat: Chat }) {
  const templates = useQuery(templatesQuery(chat.number.id))
  const { template } = message
  const known = templates.data?.data.find(
    ({ name, language }) => name === template?.name && language === template.language.code,
  )
  return <TemplateMessage message={message} definition={known ?? null} />
}

/** The same for who knows its definition, or that there is none. */
export function TemplateMessage({ message, definition }: { message: Message; definition: ChannelTemplate | null }) {
  const say = useSay()
  const { template } = message
  if (template === null) return null
  const header = <HeaderView message={message} />
  return (
    <>
      <Text size="xs" className="quiet">
        {say('message.template', { name: template.name })} · {template.language.code}
      </Text>
      {definition === null ? (
        <>
          {header}
          <Words text={wordsGiven(template)} />
        </>
      ) : (
        <TemplateLook parts={partsOf(definition)} template={template} header={header} />
      )}
    </>
  )
}

function HeaderView({ message }: { message: Message }) {
  const given = message.template === null ? null : headerGiven(message.template)
  if (given === null) return null
  if (given.type === 'location') return <Place location={given.location} />
  return <MediaView message={{ ...message, type: given.type, media: given.media }} />
}
