import { Tabs } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'

/** The parts of a page, of which the address names the one that is shown. A phone shows some of the tabs: that one is among them. */
export function PageTabs<Name extends string>(props: {
  names: readonly Name[]
  shown: Name
  labelOf: (name: Name) => string
  onChange: (name: Name) => void
  children: ReactNode
}) {
  const { names, shown } = props
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is shown.
  useEffect(() => {
    list.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [shown])
  return (
    <Tabs
      value={shown}
      onChange={(value) => {
        const chosen = names.find((name) => name === value)
        if (chosen !== undefined) props.onChange(chosen)
      }}
      keepMounted={false}
    >
      <Tabs.List mb="lg" ref={list}>
        {names.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {props.labelOf(name)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={shown}>{props.children}</Tabs.Panel>
    </Tabs>
  )
}
