import { Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Mark } from './Mark.tsx'

/** A page before sign-in: the name of the product, a title, and one form. */
export const Entrance = ({ title, children }: { title: string; children: ReactNode }) => (
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
      </Stack>
    </div>
  </main>
)
