import { createApiKey } from '../src/accounts/keys/api-keys.ts'
import { createOrganization } from '../src/accounts/organizations/organizations.ts'
import { accountsContext } from '../src/boot/contexts.ts'
import { systemClock } from '../src/kernel/clock.ts'
import type { OrgId } from '../src/kernel/ids.ts'
import { allScopes } from '../src/kernel/scopes.ts'
import { type Database, openDatabase } from '../src/platform/database/database.ts'
import { measureLoad, type Round, refuseFailures } from './measured-load.ts'
import { addNumber, openMessagingBench, phoneOf, startBenchServer } from './messaging-bench.ts'
import { ROW_BODY } from './postgres-baseline.ts'
import { alternate, compareNeighbours, type Finding, type Question } from './question.ts'

const ROUNDS = 8
const ROUND_MS = 500
const WARMUP_MS = 200
const CONNECTIONS = 16
const MESSAGES_PER_CHAT = 10
const SMALL = 10_000
const LARGE = 1_000_000
/** Filling took a minute and a half on a crowded machine; each statement of it is bounded. */
const ROWS_PER_BITE = 20_000
const FILLERS = 2

export const chats: Question = {
  name: 'chats',
  asks: 'Is a page of chats, or of one thread, as fast with a million messages as with ten thousand?',
  secondsMax: 90,
  async run(bench) {
    const { url } = await openMessagingBench(bench)
    const database = openDatabase({ url, statementTimeoutMs: 60_000 })
    bench.defer(() => database.close())
    const [small, large] = [await fillShop(database, SMALL), await fillShop(database, LARGE)]
    await database.script('vacuum analyze messages, chats, contacts, contact_identities')
    const server = await startBenchServer(bench, url, 'messaging-server.ts')
    bench.say(
      `${SMALL} against ${LARGE} messages, ${ROUNDS} rounds of ${ROUND_MS / 1000} s each, ${CONNECTIONS} connections`,
    )
    const findings: Finding[] = []
    for (const [measure, pathsOf] of Object.entries(PAGES)) {
      const ask = (shop: FilledShop) => () => load(server, shop, pathsOf(shop))
      await ask(large)()
      await ask(small)()
      const { ones, others } = await alternate(ROUNDS, ask(large), ask(small))
      findings.push(finding(measure, ones, others))
    }
    return findings
  },
}

type FilledShop = { orgId: OrgId; headers: Record<string, string>; chats: number }

/** A page of the list, and threads all over the shop. */
const PAGES: Record<string, (shop: FilledShop) => string[]> = {
  'GET /chats': () => ['/chats'],
  'GET /chats/{phone}': ({ chats: count }) =>
    Array.from({ length: 200 }, (_, nth) => `/chats/${phoneOf(Math.floor((nth * count) / 200))}`),
}

async function fillShop(database: Database, messages: number): Promise<FilledShop> {
  const slug = `shop-${messages}`
  const { id: orgId } = await createOrganization(database, systemClock, { name: slug, slug })
  const numberId = await addNumber(database, orgId)
  const key = { name: 'bench', scopes: allScopes, createdBy: 'bench', rateLimit: 'none' as const }
  const { token } = await createApiKey(accountsContext(database, systemClock), orgId, key)
  const count = messages / MESSAGES_PER_CHAT
  await insertPeople(database, { orgId, numberId, count })
  await insertMessages(database, { orgId, numberId, count })
  return { orgId, headers: { authorization: `Bearer ${token}` }, chats: count }
}

type Filling = { orgId: OrgId; numberId: string; count: number }

/** Ids as long as ours, and rising: `con_`, `chat_` and `msg_` with a number in their last digits. */
async function insertPeople(database: Database, { orgId, numberId, count }: Filling): Promise<void> {
  await database.run`
    insert into contacts (org_id, id, name, phone, identities, words, created_at, updated_at)
    select ${orgId}, 'con_' || lpad(n::text, 26, '0'), 'Pelanggan ' || n, '62812' || (10000000 + n),
      jsonb_build_array(jsonb_build_object('type', 'phone', 'value', '+62812' || (10000000 + n))), '', now(), now()
    from generate_series(0, ${count - 1}::int) n`
  await database.run`
    insert into contact_identities (org_id, kind, value, contact_id, created_at)
    select ${orgId}, 'phone', '62812' || (10000000 + n), 'con_' || lpad(n::text, 26, '0'), now()
    from generate_series(0, ${count - 1}::int) n`
  await database.run`
    insert into chats (org_id, id, number_id, contact_id, unread_count, last_message_id, last_activity_at, last_inbound_at, created_at)
    select ${orgId}, 'chat_' || lpad(n::text, 26, '0'), ${numberId}, 'con_' || lpad(n::text, 26, '0'), n % 3,
      'msg_' || lpad((n * 10 + 9)::text, 26, '0'), now() - make_interval(secs => n), now() - make_interval(secs => n), now()
    from generate_series(0, ${count - 1}::int) n`
}

async function insertMessages(database: Database, filling: Filling): Promise<void> {
  const messages = filling.count * MESSAGES_PER_CHAT
  let next = 0
  const fill = async () => {
    while (next < messages) {
      const first = next
      next += ROWS_PER_BITE
      await insertBite(database, filling, { first, last: Math.min(next, messages) - 1 })
    }
  }
  await Promise.all(Array.from({ length: FILLERS }, fill))
}

const HISTORY = JSON.stringify([{ status: 'received', at: '2026-11-14T09:30:00.000Z' }])

const insertBite = (
  database: Database,
  { orgId, numberId }: Filling,
  { first, last }: { first: number; last: number },
) =>
  database.run`
    with states as (
      insert into message_states (org_id, message_id, number_id, provider_id, status, status_history)
      select ${orgId}, 'msg_' || lpad(n::text, 26, '0'), ${numberId}, 'wamid.' || n, 'received', ${HISTORY}::text::jsonb
      from generate_series(${first}::int, ${last}::int) n)
    insert into messages (org_id, id, chat_id, number_id, direction, type, body, sender_type, happened_at, created_at)
    select ${orgId}, 'msg_' || lpad(n::text, 26, '0'), 'chat_' || lpad((n / 10)::text, 26, '0'), ${numberId}, 'inbound', 'text',
      ${ROW_BODY}, 'contact', now() - make_interval(secs => n / 10) + make_interval(secs => 0.001 * (n % 10)), now()
    from generate_series(${first}::int, ${last}::int) n`

async function load(
  { origin, pid }: { origin: string; pid: number },
  { headers }: FilledShop,
  paths: readonly string[],
): Promise<Round> {
  const requests = paths.map((path) => ({ method: 'GET', path: `/api/public/v1${path}`, headers }))
  const report = await measureLoad(pid, {
    origin,
    connections: CONNECTIONS,
    durationMs: ROUND_MS,
    warmupMs: WARMUP_MS,
    requests,
  })
  refuseFailures([report])
  return report
}

function finding(measure: string, large: Round[], small: Round[]): Finding {
  const perSecond = (rounds: Round[]) => rounds.map((report) => report.requestsPerSecond)
  return {
    measure: `${measure} at ${LARGE.toLocaleString('en')} messages against ${SMALL.toLocaleString('en')}`,
    value: compareNeighbours(perSecond(large), perSecond(small)),
    unit: 'ratio',
    bar: { atLeast: 0.9 },
    figures: {
      large_per_second: perSecond(large),
      small_per_second: perSecond(small),
      large_p99_ms: large.map((report) => report.p99Ms),
      small_p99_ms: small.map((report) => report.p99Ms),
      large_processor_us: large.map((report) => report.processorMicroseconds),
      small_processor_us: small.map((report) => report.processorMicroseconds),
      connections: CONNECTIONS,
    },
  }
}
