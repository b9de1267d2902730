import { Anchor, Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useText } from '../text/text.tsx'
import { Mark } from './Mark.tsx'

/** A page before sign-in: the name of the product, a title, one form, and the other language. */
export function Entrance({ title, children }: { title: string; children: ReactNode }) {
  const { say, language, setLanguage } = useText()
  const other = language === 'en' ? 'id' : 'en'
  return (
    <main className="sign-in">
      <div>
        <Stack gap="md">
          <Group gap={8}>
            <Mark size={28} />
            <Text fw={600} size="lg" aria-hidden>
              Nexkit
            </Text>
          </Group>
          <Title order={1}>{title}</Title>
          {children}
          <Anchor component="button" type="button" size="sm" ta="left" lang={other} onClick={() => setLanguage(other)}>
            {say('person.language')}
          </Anchor>
        </Stack>
      </div>
    </main>
  )
}
