import { Text } from '@mantine/core'
import type { CreatedKey } from '../api/keys.ts'
import { useSay } from '../text/text.tsx'
import { CodeTabs } from '../ui/Code.tsx'
import { ShownOnce } from '../ui/ShownOnce.tsx'

/** The token, once, with a call that can be pasted. */
export function CreatedKeyDialog({ created, onDone }: { created: CreatedKey | null; onDone: () => void }) {
  const say = useSay()
  const url = `${window.location.origin}/api/public/v1/me`
  const token = created?.token ?? ''
  return (
    <ShownOnce
      title={say('keys.created', { name: created?.key.name ?? '' })}
      secret={created?.token ?? null}
      onDone={onDone}
    >
      <Text size="sm">{say('keys.try')}</Text>
      <CodeTabs
        samples={[
          { label: 'curl', text: `curl ${url} \\\n  -H "Authorization: Bearer ${token}"` },
          {
            label: 'TypeScript',
            text: `const reply = await fetch('${url}', {\n  headers: { authorization: 'Bearer ${token}' },\n})\nconst identity = await reply.json()`,
          },
          {
            label: 'Python',
            text: `import requests\n\nreply = requests.get("${url}", headers={"Authorization": "Bearer ${token}"})\nprint(reply.json())`,
          },
        ]}
      />
    </ShownOnce>
  )
}
