import { Accordion, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type EventType, eventTypesQuery, fieldsOf, type JsonSchema } from '../api/webhooks.ts'
import { useSay, useText } from '../text/text.tsx'
import { InlineCode, JsonCode } from '../ui/Code.tsx'
import { ProblemMessage } from '../ui/Message.tsx'

/** Every type of event by group: what it means, its data as a readable table, and an example. */
export function Catalogue() {
  const { serverWords } = useText()
  const types = useQuery(eventTypesQuery)
  if (types.data === undefined) return <ProblemMessage error={types.error} onRetry={() => types.refetch()} />
  const groups = Map.groupBy(types.data.data, ({ name }) => name.slice(0, name.indexOf('.')))
  return (
    <Stack gap="lg">
      {[...groups].map(([group, members]) => (
        <section key={group}>
          <Title order={2} mb="sm" tt="capitalize">
            {group}
          </Title>
          <Accordion variant="separated">
            {members.map((type) => (
              <Accordion.Item key={type.name} value={type.name}>
                <Accordion.Control>
                  <Text size="sm" className="mono">
                    {type.name}
                  </Text>
                  <Text size="sm" className="quiet">
                    <InlineCode text={serverWords?.events[type.name] ?? type.description} />
                  </Text>
                </Accordion.Control>
                <Accordion.Panel>
                  <TypeDetail type={type} />
                </Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
        </section>
      ))}
    </Stack>
  )
}

function TypeDetail({ type }: { type: EventType }) {
  const say = useSay()
  return (
    <Stack gap="md">
      <Table.ScrollContainer minWidth={480}>
        <Table aria-label={type.name}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{say('catalogue.field')}</Table.Th>
              <Table.Th>{say('catalogue.kind')}</Table.Th>
              <Table.Th>{say('catalogue.meaning')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {fieldsOf(type.schema).map(([name, schema]) => (
              <Table.Tr key={name}>
                <Table.Td className="mono">{name}</Table.Td>
                <Table.Td>{kindOf(schema)}</Table.Td>
                <Table.Td>
                  <InlineCode text={schema.description} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <JsonCode value={type.example} />
    </Stack>
  )
}

function kindOf(schema: JsonSchema): string {
  const values = schema.enum ?? schema['x-extensible-enum']
  if (values !== undefined) return values.join(' | ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(kindOf).join(' | ')
  if (schema.items !== undefined) return `${kindOf(schema.items)}[]`
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  return Array.isArray(schema.type) ? schema.type.join(' | ') : (schema.type ?? '')
}
