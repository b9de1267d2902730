import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** A part of a detail with its own title. */
export const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <Text component="h3" size="md" fw={600} mt={0} mb="sm">
      {title}
    </Text>
    {children}
  </section>
)
