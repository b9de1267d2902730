import { Table, Text, VisuallyHidden } from '@mantine/core'
import { powerNames, roleNames, roleRights, scopeNames } from '../api/generated.ts'
import type { Right } from '../api/session.ts'
import { useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'

/** What people decide about, in the order of the pages. Who may do it comes from the rules of the server. */
const rows = [
  'chats:read',
  'messages:send',
  'orders:read',
  'orders:write',
  'products:write',
  'approvals:decide',
  'contacts:erase',
  'webhooks:write',
  'keys:manage',
  'agents:manage',
  'logs:read',
  'settings:manage',
  'people:manage',
  'owners:manage',
  'audit:read',
] as const satisfies Right[]

const known: readonly string[] = [...scopeNames, ...powerNames]
const hasRight = (role: (typeof roleNames)[number], right: string): boolean =>
  known.includes(right) && (roleRights[role] as readonly string[]).includes(right)

/** Each role and what it may do, where roles are given. */
export function RoleTable() {
  const say = useSay()
  return (
    <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} role="region" aria-label={say('roles.title')}>
      <Table className="rows" aria-label={say('roles.title')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{say('roles.can')}</Table.Th>
            {roleNames.map((role) => (
              <Table.Th key={role} ta="center">
                {say(`role.${role}`)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((right) => (
            <Table.Tr key={right}>
              <Table.Th scope="row" fw={400}>
                <Text size="sm">{say(`roles.${right}`)}</Text>
              </Table.Th>
              {roleNames.map((role) => (
                <Table.Td key={role} ta="center">
                  {hasRight(role, right) ? <Icon name="check" size={16} /> : '–'}
                  <VisuallyHidden>{say(hasRight(role, right) ? 'roles.yes' : 'roles.no')}</VisuallyHidden>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
