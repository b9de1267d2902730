import { Group, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Icon } from './Icon.tsx'
import { usePageTitle } from './title.ts'

/** The list that a page of one thing belongs to. */
type Parent = { to: string; text: string; search?: Record<string, string> }

/** Title at the left, acts at the right, then the content. The page of one thing has its list above the title. */
export function Page({
  title,
  parent,
  state,
  acts,
  children,
}: {
  title: string
  parent?: Parent
  state?: ReactNode
  acts?: ReactNode
  children: ReactNode
}) {
  usePageTitle(title)
  return (
    <div className="page">
      {parent !== undefined && (
        <Link to={parent.to} {...(parent.search && { search: parent.search })} className="page-parent">
          <Icon name="back" size={14} />
          {parent.text}
        </Link>
      )}
      <Group className="page-head" justify="space-between" align="center" mb="md" gap="sm">
        <Group gap="md" align="center" style={{ minWidth: 0 }}>
          {/* Whole, however long: it may be the only place that shows an address or a name. */}
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {state}
        </Group>
        <Group gap="sm">{acts}</Group>
      </Group>
      {children}
    </div>
  )
}

/** What one works with, and beside it what one looks up; below each other on a phone. */
export const Columns = ({ side, children }: { side: ReactNode; children: ReactNode }) => (
  <div className="columns">
    <div>{children}</div>
    <div>{side}</div>
  </div>
)

/** A part of a detail with its own title. */
export const Section = ({ title, acts, children }: { title: string; acts?: ReactNode; children: ReactNode }) => (
  <section>
    <Group justify="space-between" mb="sm">
      <Text component="h2" size="md" fw={600} m={0}>
        {title}
      </Text>
      {acts}
    </Group>
    {children}
  </section>
)

/** A number that matters, large, with its name above it. */
export const Figure = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <Text size="xs" className="quiet">
      {name}
    </Text>
    <Text size="xl" fw={600} className="figures" component="div">
      {children}
    </Text>
  </div>
)
