import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type ChannelTemplate, type Chat, templatesQuery } from '../api/chats.ts'
import type { Message, Template } from '../api/messages.ts'
import { type Say, useSay } from '../text/text.tsx'
import { MediaView, Place } from './MediaView.tsx'
import {
  type ButtonPart,
  buttonDetail,
  filledText,
  headerGiven,
  parametersOf,
  partsOf,
  type TemplateParts,
  wordsGiven,
} from './template-parts.ts'
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

/** A template from its header to its buttons, as the customer gets it. What stands in the header is the caller's to show. */
export function TemplateLook({
  parts,
  template,
  header,
}: {
  parts: TemplateParts
  template: Template
  header: ReactNode
}) {
  const say = useSay()
  return (
    <>
      {parts.header.kind === 'text' ? (
        <Text size="sm" fw={600} className="bubble-text">
          {filledText(parts.header.text, parametersOf(template, 'header'))}
        </Text>
      ) : (
        header
      )}
      <Words text={filledText(parts.body, parametersOf(template, 'body'))} />
      {parts.footer !== '' && (
        <Text size="xs" className="quiet">
          {parts.footer}
        </Text>
      )}
      {parts.buttons.map((button, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two buttons may read the same, and their order never changes.
        <span className="choice" key={index}>
          {buttonName(button, say)}
          <ButtonDetail detail={buttonDetail(button, index, template)} />
        </span>
      ))}
    </>
  )
}

const ButtonDetail = ({ detail }: { detail: string }) =>
  detail !== '' && (
    <Text size="xs" className="quiet" style={{ overflowWrap: 'anywhere' }}>
      {detail}
    </Text>
  )

/** Where the phone writes the label itself, by what the button does. */
const buttonName = ({ label, type }: Pick<ButtonPart, 'label' | 'type'>, say: Say): string => {
  if (label !== '') return label
  return type === 'copy_code' || type === 'otp' ? say('template.copyCode') : type.replaceAll('_', ' ')
}
