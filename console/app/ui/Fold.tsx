import { Stack, Text, UnstyledButton } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon } from './Icon.tsx'

/** A part of a form that most go without. */
export const Fold = (props: {
  title: string
  help: string
  isOpen: boolean
  onTurn: () => void
  children: ReactNode
}) => (
  <Stack gap="md" className="fold">
    <UnstyledButton className="fold-button" aria-expanded={props.isOpen} onClick={props.onTurn}>
      <Icon name="chevron" size={16} />
      <span>
        <Text component="span" size="sm" fw={600} display="block">
          {props.title}
        </Text>
        <Text component="span" size="xs" className="quiet" display="block">
          {props.help}
        </Text>
      </span>
    </UnstyledButton>
    {props.isOpen && props.children}
  </Stack>
)
