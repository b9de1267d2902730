import { ActionIcon, Button, Group, Input, Stack, Text, TextInput } from '@mantine/core'
import { useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'
import {
  type Blank,
  BUTTONS_MAX,
  type ButtonType,
  blanksIn,
  MAX,
  type NewButton,
  type NewTemplateDraft,
} from './new-template.ts'

export type DraftProps = {
  draft: NewTemplateDraft
  set: (change: Partial<NewTemplateDraft>) => void
  problemAt: (field: string) => string | undefined
}

/** What stands for a variable while WhatsApp reviews the template. */
export function ExampleField({ blank: { key, part, name, of }, draft, set, problemAt }: DraftProps & { blank: Blank }) {
  const say = useSay()
  return (
    <TextInput
      label={say(`templates.example.${part}`, { name: part === 'button' ? of : `{{${name}}}` })}
      required
      value={draft.examples[key] ?? ''}
      onChange={(event) => set({ examples: { ...draft.examples, [key]: event.currentTarget.value } })}
      error={problemAt(key)}
    />
  )
}

const TYPES: readonly ButtonType[] = ['quick_reply', 'url', 'phone_number']

/** The buttons below a template, each with its label and what it opens. */
export function NewTemplateButtons({ draft, set, problemAt }: DraftProps) {
  const say = useSay()
  const { buttons } = draft
  const add = (type: ButtonType) => {
    const id = Math.max(0, ...buttons.map((button) => button.id)) + 1
    set({ buttons: [...buttons, { id, type, text: '', value: '' }] })
  }
  const change = (id: number, next: Partial<NewButton>) =>
    set({ buttons: buttons.map((button) => (button.id === id ? { ...button, ...next } : button)) })
  const isFull = (type: ButtonType) =>
    buttons.length >= MAX.buttons || buttons.filter((button) => button.type === type).length >= BUTTONS_MAX[type]
  return (
    <Stack gap="xs" role="group" aria-label={say('templates.buttons')}>
      <Input.Label labelElement="div">{say('templates.buttons')}</Input.Label>
      {buttons.map(({ id, type, text, value }) => (
        <Group key={id} gap="xs" align="flex-start" wrap="nowrap">
          <Stack gap={6} style={{ flex: 1, minWidth: 0 }}>
            <TextInput
              label={say(`templates.button.${type}`)}
              placeholder={say('templates.buttonText')}
              required
              maxLength={MAX.button}
              value={text}
              onChange={(event) => change(id, { text: event.currentTarget.value })}
              error={problemAt(`text:${id}`)}
            />
            {type !== 'quick_reply' && (
              <TextInput
                aria-label={say(`templates.value.${type}`)}
                placeholder={say(`templates.valueExample.${type}`)}
                type={type === 'url' ? 'url' : 'tel'}
                value={value}
                onChange={(event) => change(id, { value: event.currentTarget.value })}
                error={problemAt(`value:${id}`)}
              />
            )}
            {blanksIn(draft)
              .filter(({ key }) => key === `button:${id}`)
              .map((blank) => (
                <ExampleField key={blank.key} blank={blank} draft={draft} set={set} problemAt={problemAt} />
              ))}
          </Stack>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            mt={24}
            aria-label={say('templates.removeButton', { name: text })}
            onClick={() => set({ buttons: buttons.filter((button) => button.id !== id) })}
          >
            <Icon name="close" />
          </ActionIcon>
        </Group>
      ))}
      <Group gap={6}>
        {TYPES.map((type) => (
          <Button
            key={type}
            size="compact-sm"
            variant="default"
            leftSection={<Icon name="plus" size={14} />}
            disabled={isFull(type)}
            onClick={() => add(type)}
          >
            {say(`templates.button.${type}`)}
          </Button>
        ))}
      </Group>
      {buttons.some(({ type }) => type === 'url') && (
        <Text size="xs" className="quiet">
          {say('templates.linkHelp')}
        </Text>
      )}
    </Stack>
  )
}
