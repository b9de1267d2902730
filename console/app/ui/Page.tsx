import { Group, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'

/** Title at the left, acts at the right, then the content. */
export function Page({
  title,
  state,
  acts,
  children,
}: {
  title: string
  state?: ReactNode
  acts?: ReactNode
  children: ReactNode
}) {
  useDocumentTitle(`${title} · Nexkit`)
  return (
    <div className="page">
      <Group className="page-head" justify="space-between" align="center" mb="md" gap="sm">
        <Group gap="md" align="center">
          <Title order={1}>{title}</Title>
          {state}
        </Group>
        <Group gap="sm">{acts}</Group>
      </Group>
      {children}
    </div>
  )
}

/** A part of a detail with its own title. */
export const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <Text component="h3" size="md" fw={600} mt={0} mb="sm">
      {title}
    </Text>
    {children}
  </section>
)
