import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Template } from '../api/messages.ts'
import { type Say, useSay } from '../text/text.tsx'
import { type ButtonPart, buttonDetail, filledText, parametersOf, type TemplateParts } from './template-parts.ts'
import { Words } from './Words.tsx'

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
