import { Tabs } from '@mantine/core'
import { memo } from 'react'
import { CopyButton } from './Copy.tsx'
import { highlight } from './highlight.ts'

type CodeProps = { text: string; isWrapped?: boolean; isPlain?: boolean; onCopied?: () => void }

export const Code = ({ text, isWrapped = false, isPlain = false, onCopied }: CodeProps) => (
  <div style={{ position: 'relative', maxWidth: '100%' }}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reachable by keyboard. */}
    <pre className="code" data-wrap={isWrapped || undefined} tabIndex={0}>
      {isPlain ? text : <Coloured text={text} />}
    </pre>
    <span style={{ position: 'absolute', top: 6, right: 6, borderRadius: 4, background: 'var(--raised)' }}>
      <CopyButton value={text} {...(onCopied && { onCopied })} />
    </span>
  </div>
)

const Coloured = memo(({ text }: { text: string }) =>
  highlight(text).map(({ text: part, kind }, index) =>
    kind === null ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of one text keep their places.
      <span key={index} data-token={kind}>
        {part}
      </span>
    ),
  ),
)

export const HeaderCode = ({ headers }: { headers: Record<string, string> }) => (
  <Code
    text={Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n')}
    isWrapped
    isPlain
  />
)

/** JSON as a person reads it; what is not JSON as it is. */
export function JsonCode({ value }: { value: unknown }) {
  return <Code text={typeof value === 'string' ? prettyText(value) : JSON.stringify(value, null, 2)} isWrapped />
}

function prettyText(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

export type Sample = { label: string; text: string }

export const CodeTabs = ({ samples, isWrapped = false }: { samples: Sample[]; isWrapped?: boolean }) => (
  <Tabs defaultValue={samples[0]?.label ?? ''} variant="default">
    <Tabs.List>
      {samples.map(({ label }) => (
        <Tabs.Tab key={label} value={label} fz="xs">
          {label}
        </Tabs.Tab>
      ))}
    </Tabs.List>
    {samples.map(({ label, text }) => (
      <Tabs.Panel key={label} value={label} pt="sm">
        <Code text={text} isWrapped={isWrapped} />
      </Tabs.Panel>
    ))}
  </Tabs>
)

/** A sentence of the server, where `code` stands between backticks. */
export const InlineCode = ({ text }: { text: string | undefined }) =>
  (text ?? '').split('`').map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence keep their places.
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  )
