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
