import { Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type LogDetail, type LogSide, type LogSummary, logQuery, requestOf } from '../api/logs.ts'
import { requestSamples } from '../api/request-samples.ts'
import { useSay } from '../text/text.tsx'
import { CodeTabs, HeaderCode, JsonCode } from '../ui/Code.tsx'
import { Id } from '../ui/Copy.tsx'
import { Facts } from '../ui/Detail.tsx'
import { LinkButton, LinkText } from '../ui/Links.tsx'
import { Waiting } from '../ui/Message.tsx'
import { HttpStatus, State } from '../ui/State.tsx'
import { Time } from '../ui/Time.tsx'

/** One request with both sides, what it caused, and code that repeats it. */
export function LogView({ id, nameOf }: { id: string; nameOf: (caller: LogSummary['caller']) => string }) {
  const say = useSay()
  const detail = useQuery(logQuery(id))
  if (detail.data === undefined) return <Waiting error={detail.error} onRetry={() => detail.refetch()} />
  const { log, caused } = detail.data
  return (
    <Stack gap="md">
      <Group gap="md">
        <HttpStatus status={log.status} />
        <Text size="sm" className="mono" style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
          {log.method} {log.base_path}
          {log.path}
          {log.query ? `?${log.query}` : ''}
        </Text>
      </Group>
      <Facts
        facts={[
          [say('list.id'), <Id key="id" id={log.id} isWhole />],
          [say('logs.at'), <Time key="at" at={log.at} />],
          [say('logs.operation'), log.operation ?? '—'],
          [say('logs.caller'), nameOf(log.caller)],
          [say('logs.auth'), log.auth_result],
          [say('logs.duration'), `${log.duration_ms.toFixed(2)} ms`],
          [say('logs.address'), log.address],
          [say('logs.agent'), log.user_agent ?? '—'],
          log.idempotency_key !== null && [
            say('logs.idempotency'),
            `${log.idempotency_key}${log.is_replayed ? ` (${say('logs.replayed')})` : ''}`,
          ],
          log.error_code !== null && [say('logs.error'), `${log.error_code} ${log.error_detail ?? ''}`],
        ]}
      />
      <Causes caused={caused} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Side title={say('attempt.request')} side={log.request} />
        <Side title={say('attempt.response')} side={log.response} />
      </SimpleGrid>
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {say('logs.code')}
        </Text>
        {/public|proxy/.test(log.base_path) && (
          <LinkButton to="/explorer" search={{ request: log.id }} size="xs" variant="default">
            {say('logs.replay')}
          </LinkButton>
        )}
      </Group>
      <CodeTabs samples={requestSamples(requestOf(window.location.origin, log))} isWrapped />
      {log.request.is_cut && (
        <Text size="xs" className="quiet">
          {say('logs.curlCut')}
        </Text>
      )}
    </Stack>
  )
}

function Causes({ caused }: { caused: LogDetail['caused'] }) {
  const say = useSay()
  if (caused.events.length === 0) return null
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        {say('logs.caused')}
      </Text>
      {caused.events.map((event) => (
        <Group key={event.id} gap="md">
          <LinkText to="/events" search={{ open: event.id }} size="sm">
            {event.type}
          </LinkText>
          {caused.deliveries
            .filter(({ event_id }) => event_id === event.id)
            .map((delivery) => (
              <LinkText key={delivery.id} to="/deliveries" search={{ open: delivery.id }} size="sm">
                <State state={delivery.status} />
              </LinkText>
            ))}
        </Group>
      ))}
    </Stack>
  )
}

function Side({ title, side }: { title: string; side: LogSide }) {
  const say = useSay()
  return (
    <Stack gap={6} style={{ minWidth: 0 }}>
      <Group justify="space-between">
        <Text size="xs" fw={600}>
          {title}
        </Text>
        <Text size="xs" className="quiet">
          {side.bytes} B {side.is_cut ? say('attempt.truncated') : ''}
        </Text>
      </Group>
      {side.headers !== null && <HeaderCode headers={side.headers} />}
      {side.body === null ? (
        <Text size="xs" className="quiet">
          {say('logs.bodyMissing')}
        </Text>
      ) : (
        <JsonCode value={side.body} />
      )}
    </Stack>
  )
}
