import { Group, Stack, Text } from '@mantine/core'
import { scopeNames } from '../api/keys.ts'
import { capitalized, useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'

/** What a key can do and what it cannot, scope by scope. */
export function KeyRights({ scopes }: { scopes: readonly string[] }) {
  const say = useSay()
  if (scopeNames.every((scope) => scopes.includes(scope))) return <Text size="sm">{say('keys.canEverything')}</Text>
  const sides = [
    { title: say('keys.can'), icon: 'check', names: scopeNames.filter((scope) => scopes.includes(scope)) },
    { title: say('keys.cannot'), icon: 'close', names: scopeNames.filter((scope) => !scopes.includes(scope)) },
  ] as const
  return (
    <Group gap="xl" align="flex-start">
      {sides.map(({ title, icon, names }) => (
        <section key={icon} aria-label={title}>
          <Text size="sm" fw={600} mb={4}>
            {title}
          </Text>
          <Stack gap={2} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
            {names.map((scope) => (
              <Text key={scope} component="li" size="sm" className={icon === 'close' ? 'quiet' : ''}>
                <Icon name={icon} size={12} /> {capitalized(say(`scope.${scope}`))}
              </Text>
            ))}
          </Stack>
        </section>
      ))}
    </Group>
  )
}
