import { Button, Card, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { confirmLine, ignoreLine, type StatementLine, type Suggestion } from '../api/books.ts'
import { importStatement } from '../api/csv.ts'
import { usePages } from '../api/pages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { OrderField } from '../forms/OrderField.tsx'
import { useSay } from '../text/text.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { type FilteredProps, Filters } from '../ui/Filters.tsx'
import { LinkText } from '../ui/Links.tsx'
import { EmptyMessage, ProblemMessage, Waiting } from '../ui/Message.tsx'
import { Money, rupiah } from '../ui/Money.tsx'
import { MoreRows } from '../ui/MoreRows.tsx'
import { State } from '../ui/State.tsx'
import { ExportButton, useCsvImport } from './CsvButtons.tsx'

const STATES = ['open', 'confirmed', 'ignored'] as const

/** Transfers to the shop's own account. Nothing counts as paid until a person confirms which order a line pays. */
export function StatementBook({ filters, onFilter }: FilteredProps) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const mayWrite = may(session, 'orders:write')
  const query = { status: filters.status }
  const lines = usePages('/api/proxy/statements', query, { isReadOnFocus: true })
  const reading = useCsvImport({
    label: say('books.importStatement'),
    read: importStatement,
    summary: ({ added, duplicates, outgoing, failed }) =>
      say('books.statementImported', { added, duplicates, outgoing, failed }),
    onDone: () => void lines.refetch(),
  })
  return (
    <>
      <Text size="sm" className="quiet" mb="sm" maw={720}>
        {say('books.statementHelp')}
      </Text>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Filters
          values={query}
          onChange={onFilter}
          filters={[
            {
              name: 'status',
              label: say('list.state'),
              kind: 'choice',
              choices: STATES.map((value) => ({ value, label: say(`books.line.${value}`) })),
            },
          ]}
        />
        <Group gap="sm" mb="sm">
          {mayWrite && reading.button}
          <ExportButton path="/api/proxy/statements" query={query} name="statement-lines.csv" />
        </Group>
      </Group>
      {reading.report}
      <ProblemMessage error={lines.error} onRetry={() => lines.refetch()} />
      {lines.items === undefined && lines.error === null && <Waiting error={null} />}
      {lines.items?.length === 0 &&
        (filters.status !== undefined ? (
          <EmptyMessage title={say('list.noMatch')} />
        ) : (
          <EmptyMessage
            picture="books"
            guide="close-the-day"
            title={say('books.noStatement')}
            detail={say('books.noStatementHelp')}
          />
        ))}
      <Stack gap="sm">
        {lines.items?.map((line) => (
          <Line key={line.id} line={line} mayWrite={mayWrite} onChanged={() => void lines.refetch()} />
        ))}
      </Stack>
      <MoreRows pages={lines} />
    </>
  )
}

/** One of the suggestions, or another order that a person found. */
type Chosen = Omit<Suggestion, 'matches'>

function Line({ line, mayWrite, onChanged }: { line: StatementLine; mayWrite: boolean; onChanged: () => void }) {
  const say = useSay()
  const queries = useQueryClient()
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const confirming = useMutation({
    mutationFn: ({ order_id }: Chosen) => confirmLine(line.id, order_id),
    onSuccess: ({ id }) => {
      setChosen(null)
      queries.invalidateQueries({ queryKey: ['order', id] })
      onChanged()
    },
  })
  const ignoring = useMutation({ mutationFn: () => ignoreLine(line.id), onSuccess: onChanged })
  const isOpen = line.status === 'open'
  return (
    <Card withBorder padding="sm" component="article" aria-label={line.description}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div style={{ minWidth: 0, flex: 1 }}>
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {line.description}
          </Text>
          <Group gap="sm">
            <Text size="xs" className="quiet figures">
              {line.date}
            </Text>
            <State state={LINE_TONES[line.status]} word={say(`books.line.${line.status}`)} />
            {line.order_id !== null && (
              <LinkText to="/orders/$id" params={{ id: line.order_id }} search={{}} size="xs">
                {say('books.toOrder')}
              </LinkText>
            )}
          </Group>
        </div>
        <Text fw={600} component="div">
          <Money amount={line.amount} />
        </Text>
      </Group>
      {isOpen && (
        <Stack gap={8} mt="sm">
          {line.suggestions.length === 0 && (
            <Text size="sm" className="quiet">
              {say('books.noSuggestion')}
            </Text>
          )}
          {line.suggestions.map((suggestion) => (
            <Group key={suggestion.order_id} justify="space-between" gap="sm">
              <div>
                <LinkText to="/orders/$id" params={{ id: suggestion.order_id }} search={{}} size="sm">
                  #{suggestion.order_number} {suggestion.customer_name ?? ''}
                </LinkText>
                <Text size="xs" className="quiet">
                  {say('books.remaining', { amount: rupiah(suggestion.amount_remaining) })} ·{' '}
                  {suggestion.matches.map((match) => say(`books.match.${match}`)).join(', ')}
                </Text>
              </div>
              {mayWrite && (
                <Button size="xs" onClick={() => setChosen(suggestion)}>
                  {say('books.confirm')}
                </Button>
              )}
            </Group>
          ))}
          {mayWrite && (
            <Group gap="sm">
              <OrderField
                label={say('books.otherOrder')}
                onPick={({ id, number, customer, amount_remaining }) =>
                  setChosen({
                    order_id: id,
                    order_number: number,
                    customer_name: customer?.name ?? null,
                    amount_remaining: amount_remaining ?? 0,
                  })
                }
              />
              <Button
                size="xs"
                variant="subtle"
                color="gray"
                loading={ignoring.isPending}
                onClick={() => ignoring.mutate()}
              >
                {say('books.ignore')}
              </Button>
            </Group>
          )}
          <ProblemMessage error={ignoring.error} />
        </Stack>
      )}
      <Confirm
        isOpen={chosen !== null}
        title={say('books.confirmSure', { number: chosen?.order_number ?? '', amount: rupiah(line.amount) })}
        consequence={say(
          chosen !== null && chosen.amount_remaining === line.amount ? 'books.confirmExact' : 'books.confirmOther',
          { amount: rupiah(chosen?.amount_remaining ?? 0) },
        )}
        act={say('books.confirm')}
        isHarmless
        isPending={confirming.isPending}
        error={confirming.error}
        onConfirm={() => chosen !== null && confirming.mutate(chosen)}
        onClose={() => setChosen(null)}
      />
    </Card>
  )
}

/** An open line waits for a decision. */
const LINE_TONES = { open: 'pending', confirmed: 'confirmed', ignored: 'ignored' } as const
