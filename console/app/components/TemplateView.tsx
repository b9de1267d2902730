import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ChannelTemplate, type Chat, templatesQuery } from '../api/chats.ts'
import type { Message, Template } from '../api/messages.ts'
import { useSay } from '../text/text.tsx'
import { Words } from './Words.tsx'

/** A template as the customer reads it, where its text is known; else its name and what filled its blanks. */
export function TemplateView({ message, chat }: { message: Message; chat: Chat }) {
  const say = useSay()
  const templates = useQuery(templatesQuery(chat.number.id))
  const { template } = message
  if (template === null) return null
  const known = templates.data?.data.find(
    ({ name, language }) => name === template.name && language === template.language.code,
  )
  const values = valuesOf(template)
  return (
    <>
      <Text size="xs" className="quiet">
        {say('message.template', { name: template.name })} · {template.language.code}
      </Text>
      <Words text={known === undefined ? values.join(' · ') : fillTemplate(textOf(known), values)} />
    </>
  )
}

export const textOf = ({ components }: ChannelTemplate): string => {
  const body = components.find(({ type }) => String(type).toUpperCase() === 'BODY')
  return typeof body?.text === 'string' ? body.text : ''
}

const FILES = ['IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION']
const wordOf = (value: unknown) => String(value ?? '').toUpperCase()

/** Whether it wants to be told more than the blanks of its text: a file, or something for its header, a button or a card. */
export const isBeyondWords = ({ components }: Pick<ChannelTemplate, 'components'>): boolean =>
  components.some(({ type, format, text, buttons }) => {
    if (wordOf(type) === 'HEADER') return FILES.includes(wordOf(format)) || blanksOf(String(text ?? '')).length > 0
    if (wordOf(type) === 'BUTTONS') return Array.isArray(buttons) && buttons.some(isAskingButton)
    return wordOf(type) === 'CAROUSEL'
  })

const isAskingButton = ({ type, url }: { type?: unknown; url?: unknown }): boolean =>
  ['COPY_CODE', 'OTP'].includes(wordOf(type)) || blanksOf(String(url ?? '')).length > 0

/** The blanks of a text. Numbered ones in the order of their numbers, whatever order the language puts them in. */
export const blanksOf = (text: string): string[] => {
  const names = [...new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name as string))]
  return names.every(isNumbered) ? names.sort((one, other) => Number(one) - Number(other)) : names
}

export const isNumbered = (blank: string) => /^\d+$/.test(blank)

export const fillTemplate = (text: string, values: readonly string[]): string => {
  const names = blanksOf(text)
  return text.replaceAll(/\{\{(\w+)\}\}/g, (blank, name: string) => values[names.indexOf(name)] || blank)
}

function valuesOf({ components = [] }: Template): string[] {
  const body = components.find(({ type }) => type === 'body')
  const parameters = Array.isArray(body?.parameters) ? (body.parameters as { text?: string }[]) : []
  return parameters.map(({ text }) => text ?? '')
}
