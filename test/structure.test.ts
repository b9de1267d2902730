import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { globalTables, lookupTables, orgColumnOf, tenantTables } from '../src/boot/tables.ts'
import { keptTables, movedTimes, outboxTables } from '../src/sandbox/sandbox-tables.ts'
import { useTestDatabase } from './support/database.ts'

/** What is easy to forget and hard to see in one file: where the arrows point, what is named how, what the docs promise. */
const ROOT = resolve(import.meta.dirname, '..')

const filesUnder = (folder: string, ending: string): string[] =>
  existsSync(join(ROOT, folder))
    ? readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .map((name) => join(folder, name))
        .filter(
          (path) => path.endsWith(ending) && !path.includes('node_modules') && statSync(join(ROOT, path)).isFile(),
        )
        // Holds the texts of files, with imports and exports of places where they do not stand.
        .filter((path) => path !== 'scripts/recipes/recipes.ts')
        .sort()
    : []

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const sources = filesUnder('src', '.ts')
/** Holds calls as texts, for readers of the docs. */
const SAMPLES = 'src/surfaces/docs/samples.ts'
const isTest = (path: string) => /\.(test|suite)\.ts$/.test(path)
const code = sources.filter((path) => !isTest(path))

/** Relative imports of a file, as paths from the root. */
const importsOf = (path: string): string[] =>
  [...read(path).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) =>
    relative(ROOT, resolve(ROOT, dirname(path), match[1] as string)),
  )

const LINES_MAX = 400
const linesOf = (path: string) => read(path).trimEnd().split('\n').length

const RINGS = ['kernel', 'platform', 'capability', 'surface', 'wiring'] as const

/** Which capability may import which. */
const ARROWS: Record<string, string[]> = {
  accounts: [],
  events: ['accounts'],
  'request-logs': ['accounts'],
  channels: ['accounts', 'events'],
  webhooks: ['events', 'accounts'],
  payments: ['events', 'accounts'],
  products: ['events', 'accounts'],
  messaging: ['channels', 'events', 'accounts'],
  orders: ['payments', 'products', 'messaging', 'events', 'accounts'],
  agents: ['orders', 'messaging', 'events', 'accounts'],
  sandbox: ['payments', 'channels', 'accounts'],
  broadcasts: ['messaging', 'channels', 'events'],
  erasure: ['webhooks', 'messaging', 'channels'],
  alerts: ['agents', 'webhooks', 'channels', 'events', 'accounts'],
}

function placeOf(path: string): { ring: (typeof RINGS)[number]; capability: string | null } {
  const [, folder = ''] = path.split('/')
  if (folder === 'kernel' || folder === 'platform') return { ring: folder, capability: null }
  if (folder === 'surfaces') return { ring: 'surface', capability: null }
  if (folder in ARROWS) return { ring: 'capability', capability: folder }
  return { ring: 'wiring', capability: null }
}

function importProblem(from: string, to: string): string | null {
  if (from === 'src/boot/version.ts' && to === 'package.json') return null
  if (!to.startsWith('src/')) return from.startsWith('src/cli') && to.startsWith('bench/') ? null : 'leaves src'
  const [one, other] = [placeOf(from), placeOf(to)]
  if (RINGS.indexOf(other.ring) > RINGS.indexOf(one.ring)) return `${one.ring} imports ${other.ring}`
  if (one.capability === null || other.capability === null || one.capability === other.capability) return null
  return ARROWS[one.capability]?.includes(other.capability)
    ? null
    : `${one.capability} may not import ${other.capability}`
}

function circlesOf(graph: Map<string, Iterable<string>>): string[] {
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (node: string, trail: string[]) => {
    if (trail.includes(node)) circles.push([...trail.slice(trail.indexOf(node)), node].join(' → '))
    if (done.has(node) || trail.includes(node)) return
    for (const next of graph.get(node) ?? []) visit(next, [...trail, node])
    done.add(node)
  }
  for (const node of graph.keys()) visit(node, [])
  return circles
}

const circlesIn = (files: string[]) => circlesOf(new Map(files.map((path) => [path, importsOf(path)])))

describe('imports', () => {
  test('every folder of src is known to the map of arrows', () => {
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    const known = ['kernel', 'platform', 'surfaces', 'boot', 'cli', ...Object.keys(ARROWS)]
    expect(folders.map((folder) => folder.name).filter((name) => !known.includes(name))).toEqual([])
  })

  test('point inwards only, and between capabilities only along the arrows', () => {
    const wrong = code.flatMap((from) =>
      importsOf(from).flatMap((to) => {
        const problem = importProblem(from, to)
        return problem === null ? [] : [`${from} → ${to}: ${problem}`]
      }),
    )
    expect(wrong).toEqual([])
  })

  test('go round in no circle', () => expect(circlesIn(code)).toEqual([]))

  test('name files that exist', () => {
    const missing = [
      ...sources,
      ...filesUnder('test', '.ts'),
      ...filesUnder('bench', '.ts'),
      ...filesUnder('scripts', '.ts'),
      ...filesUnder('sdk/src', '.ts'),
    ].flatMap((from) => importsOf(from).flatMap((to) => (existsSync(join(ROOT, to)) ? [] : [`${from} → ${to}`])))
    expect(missing).toEqual([])
  })

  test('leave nothing exported that no file imports', () => {
    const everywhere = ['src', 'console', 'site', 'sdk/src', 'test', 'bench', 'scripts'].flatMap((folder) =>
      ['.ts', '.tsx', '.vue']
        .flatMap((ending) => filesUnder(folder, ending))
        .map((path) => [path, read(path)] as const),
    )
    // A module that is taken as a whole, or when it is needed, gives all it has.
    const whole = new Set<string>()
    const named = new Set<string>()
    for (const [from, text] of everywhere) {
      const target = (specifier: string) => relative(ROOT, resolve(ROOT, dirname(from), specifier))
      for (const [, specifier] of text.matchAll(/(?:\* as \w+ from |import\()\s*'(\.[^']+)'/g))
        whole.add(target(specifier as string))
      for (const [, names, specifier] of text.matchAll(/\{([^{}]*)\}\s*from '(\.[^']+)'/g))
        for (const [name] of (names as string).matchAll(/(?<!as )\b\w+\b/g))
          named.add(`${target(specifier as string)} ${name}`)
    }
    // The settings of the docs are imported by a file that their build writes.
    const isOutside = (path: string) => path.startsWith('sdk/src/generated/') || path === 'site/config.ts'
    const byHand = everywhere.filter(([path]) => !isOutside(path))
    const unused = byHand.flatMap(([path, text]) =>
      [...text.matchAll(/^export (?:async )?(?:const|function\*?|class) (\w+)/gm)]
        .map(([, name]) => `${path} ${name}`)
        .filter((entry) => !whole.has(path) && !named.has(entry)),
    )
    expect(unused).toEqual([])
  })

  test('take tests and test support from tests only', () => {
    expect(code.filter((path) => importsOf(path).some((to) => isTest(to) || to.startsWith('test/')))).toEqual([])
  })
})

/**
 * A room is a folder of a capability. It is entered by its face (the file with the name of the folder) and by what is made to
 * be shared: errors, schemas, events, states, a connector's contract, the context that the wiring hands in. The files at the
 * root of a capability wire its rooms and may take anything of them.
 */
describe('rooms', () => {
  const SHARED = /\.(errors|schemas|events|states|fields)\.ts$|-(connector|context)\.ts$/
  /** The capability, or the room of it, that a file belongs to; a connector is a separate room. */
  const roomOf = (path: string): string => {
    const folders = dirname(path).split('/')
    return folders.slice(0, folders[2] === 'connectors' ? 4 : 3).join('/')
  }
  const isOfCapability = (path: string) => placeOf(path).ring === 'capability'
  const crossings = code.flatMap((from) =>
    importsOf(from)
      .filter((to) => isOfCapability(to) && roomOf(to) !== roomOf(from))
      .map((to) => ({ from, to })),
  )

  test('are entered by their faces', () => {
    const behind = crossings.filter(({ from, to }) => {
      const room = roomOf(to)
      const isOwnRoot = from.startsWith(`${dirname(room)}/`) && dirname(from) === dirname(room)
      return to !== `${room}/${room.split('/').at(-1)}.ts` && !SHARED.test(to) && !isOwnRoot
    })
    expect(behind).toEqual([])
  })

  test('import each other in no circle', () => {
    const isRoot = (room: string) => room.split('/').length === 2
    const graph = new Map<string, Set<string>>()
    for (const [one, other] of crossings.map(({ from, to }) => [roomOf(from), roomOf(to)] as const))
      if (!isRoot(one) && !isRoot(other)) graph.set(one, (graph.get(one) ?? new Set()).add(other))
    expect(circlesOf(graph)).toEqual([])
  })

  test('make calls to addresses of tenants by the guard or the client of platform/outbound-http', () => {
    const room = 'src/platform/outbound-http'
    const faces = [`${room}/egress.ts`, `${room}/outbound-client.ts`]
    const behind = code.flatMap((from) =>
      importsOf(from)
        .filter((to) => dirname(to) === room && dirname(from) !== room && !faces.includes(to))
        .map((to) => `${from} → ${to}`),
    )
    expect(behind).toEqual([])
  })

  test('of the platform and the surfaces import each other in no circle', () => {
    const isHeld = (path: string) => ['platform', 'surface'].includes(placeOf(path).ring)
    const held = code.filter(isHeld)
    const folders = new Set(held.map((path) => dirname(path)))
    /** The root of a folder with rooms serves them and uses them. */
    const isRootOfRooms = (folder: string) => [...folders].some((other) => other.startsWith(`${folder}/`))
    const graph = new Map<string, Set<string>>()
    for (const from of held)
      for (const to of importsOf(from).filter(isHeld)) {
        const [one, other] = [dirname(from), dirname(to)]
        if (one !== other && !isRootOfRooms(one) && !isRootOfRooms(other))
          graph.set(one, (graph.get(one) ?? new Set()).add(other))
      }
    expect(circlesOf(graph)).toEqual([])
  })

  test('hold files of at most 400 lines', () => {
    const shown = [...filesUnder('console/app', '.ts'), ...filesUnder('console/app', '.tsx')].filter(
      (path) => !isTest(path) && !path.endsWith('generated.ts'),
    )
    const long = [...code, ...shown].filter((path) => !path.endsWith('.suite.ts') && linesOf(path) > LINES_MAX)
    expect(long).toEqual([])
  })

  test('hold at most thirty files', () => {
    const sizes: Record<string, number> = {}
    for (const path of code) sizes[dirname(path)] = (sizes[dirname(path)] ?? 0) + 1
    const wide = Object.entries(sizes).filter(([, size]) => size > 30)
    expect(wide).toEqual([])
  })
})

describe('the console', () => {
  const files = [...filesUnder('console/app', '.ts'), ...filesUnder('console/app', '.tsx')].filter(
    (path) => !isTest(path),
  )
  const folderOf = (path: string) => path.split('/').slice(2, -1).join('/')
  /** Pages are the routes' alone. What the ui knows of the API is the form of its refusals. */
  const CONSOLE_ARROWS: Record<string, string[]> = {
    api: [],
    text: [],
    ui: ['text', 'api/problem.ts'],
    forms: ['api', 'text', 'ui', 'components'],
    components: ['api', 'text', 'ui', 'forms'],
    pages: ['api', 'text', 'ui', 'forms', 'components'],
  }

  test('imports pages from its routes, and inside of them forms and components, then ui', () => {
    const wrong = files.flatMap((from) =>
      importsOf(from)
        .filter((to) => to.startsWith('console/app/') && !to.endsWith('.css'))
        .filter((to) => folderOf(from) in CONSOLE_ARROWS && folderOf(to) !== folderOf(from))
        .filter((to) => !CONSOLE_ARROWS[folderOf(from)]?.some((target) => to.startsWith(`console/app/${target}`)))
        .map((to) => `${from} → ${to}`),
    )
    expect(wrong).toEqual([])
  })

  test('imports nothing of the server, and of the SDK only its types', () => {
    const TYPES = 'sdk/src/generated/types.ts'
    const isOutside = (to: string) => !to.startsWith('console/app/') && to !== TYPES
    expect(files.filter((path) => importsOf(path).some(isOutside))).toEqual([])
    expect(files.filter((path) => new RegExp(`^import (?!type ).*${TYPES}'`, 'm').test(read(path)))).toEqual([])
  })

  test('goes round in no circle', () => expect(circlesIn(files)).toEqual([]))
})

describe('the SDK', () => {
  const files = filesUnder('sdk/src', '.ts')

  test('imports nothing from outside of its folder, no package either', () => {
    const specifiers = (path: string) =>
      [...read(path).matchAll(/(?<![\w/])(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name)
    expect(files.filter((path) => specifiers(path).some((name) => !name?.startsWith('.')))).toEqual([])
    expect(files.filter((path) => importsOf(path).some((to) => !to.startsWith('sdk/src/')))).toEqual([])
    expect(JSON.parse(read('sdk/package.json'))).not.toHaveProperty('dependencies')
  })

  test('goes round in no circle', () => expect(circlesIn(files)).toEqual([]))
})

describe('names', () => {
  test('files are kebab-case nouns with a known role', () => {
    const ROLES = [
      'schemas',
      'sql',
      'states',
      'errors',
      'events',
      'jobs',
      'routes',
      'commands',
      'fields',
      'client',
      'notice',
      'test',
      'suite',
      'd',
    ]
    const strange = sources.filter((path) => {
      const match = /^([a-z0-9]+(?:-[a-z0-9]+)*)(?:\.([a-z.]+))?\.ts$/.exec(path.split('/').at(-1) ?? '')
      const role = match?.[2]?.replace(/\.test$/, '')
      return match === null || (role !== undefined && !ROLES.includes(role))
    })
    expect(strange).toEqual([])
  })

  test('nothing is called utils, helpers, common or index', () => {
    expect(sources.filter((path) => /(^|\/)(utils?|helpers?|common|index|misc)(\/|\.ts$)/.test(path))).toEqual([])
  })
})

describe('absences', () => {
  test('only platform/runtime says Bun.', () => {
    const strip = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$|'[^'\n]*'|`[^`]*`/gm, '')
    const console = [...filesUnder('console/app', '.ts'), ...filesUnder('console/app', '.tsx')].filter(
      (path) => !isTest(path),
    )
    const says = [...code, ...console].filter((path) => /\bBun\.\w/.test(strip(read(path))))
    expect(says.filter((path) => !path.startsWith('src/platform/runtime/'))).toEqual([])
  })

  test('only platform/outbound-http calls fetch, so every address a tenant sets passes the guard', () => {
    const isHeld = (path: string) =>
      path !== SAMPLES && !path.startsWith('src/platform/outbound-http/') && placeOf(path).ring !== 'wiring'
    expect(code.filter((path) => isHeld(path) && /(?:await|return|=>|=)\s+fetch\(/.test(read(path)))).toEqual([])
  })

  test('only the wiring reads the environment', () => {
    // PostgreSQL, a child, is given the few variables that any program needs to run, and found by PATH.
    const startsPostgres = (path: string) => path.startsWith('src/platform/embedded-postgres/')
    const readers = code.filter(
      (path) => path !== SAMPLES && placeOf(path).ring !== 'wiring' && /process\.env[.[]/.test(read(path)),
    )
    expect(readers.filter((path) => !startsPostgres(path))).toEqual([])
  })

  test('capabilities and surfaces write SQL in files of that role only', () => {
    const statement = /\.(?:run|one|maybeOne|many)(?:<[^`;]*>)?`/
    const isHeld = (path: string) => ['capability', 'surface'].includes(placeOf(path).ring)
    expect(code.filter((path) => isHeld(path) && !path.endsWith('.sql.ts') && statement.test(read(path)))).toEqual([])
  })

  test('no work is left for later without an issue', () => {
    const marks = [...sources, ...filesUnder('console', '.tsx')].filter((path) =>
      /\b(TODO|FIXME|XXX)\b(?!.*#\d+)/.test(read(path)),
    )
    expect(marks).toEqual([])
  })
})

/** The code of a file without comments and without the text of its strings. */
function withoutTexts(text: string): string {
  let kept = ''
  const inside: ('template' | 'value' | 'block')[] = []
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (inside.at(-1) === 'template') {
      if (character === '\\') at += 1
      else if (character === '`') inside.pop()
      else if (text.startsWith('${', at)) {
        inside.push('value')
        at += 1
      }
    } else if (text.startsWith('//', at) || text.startsWith('/*', at)) {
      const isLine = text[at + 1] === '/'
      const end = text.indexOf(isLine ? '\n' : '*/', at)
      at = end === -1 ? text.length : isLine ? end - 1 : end + 1
    } else if (character === "'" || character === '"') {
      for (at += 1; at < text.length && text[at] !== character && text[at] !== '\n'; at += 1)
        if (text[at] === '\\') at += 1
      kept += 'S'
    } else if (character === '`') {
      inside.push('template')
      kept += 'S'
    } else {
      if (inside.length > 0 && character === '{') inside.push('block')
      if (inside.length > 0 && character === '}') inside.pop()
      kept += character
    }
  }
  return kept
}

describe('casts', () => {
  /** `value as Type`, not `as const`: each one is a place where the types prove nothing. Lower it when the count falls. */
  const PER_THOUSAND_LINES_MAX = 3

  test('are no more per thousand lines of src than before', () => {
    const names = /^(?:import|export)(?: type)? (?:\w+, )?[{*][^;]*?from S/gms
    const texts = code.map(read)
    const casts = texts.flatMap(
      (text) =>
        withoutTexts(text)
          .replaceAll(names, '')
          .match(/\bas (?!const\b)\S/g) ?? [],
    )
    const lines = texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0)
    expect((casts.length * 1000) / lines).toBeLessThanOrEqual(PER_THOUSAND_LINES_MAX)
  })
})

describe('docs', () => {
  const documents = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    ...filesUnder('docs', '.md'),
    ...filesUnder('bench', '.md'),
    'sdk/README.md',
    ...filesUnder('examples', '.md'),
  ].filter((path) => existsSync(join(ROOT, path)))

  test('name only paths that exist', () => {
    const missing = documents.flatMap((path) => {
      const text = read(path)
      const quoted = [
        ...text.matchAll(/`((?:src|docs|test|bench|migrations|scripts|bin|console|sdk|examples)\/[\w./-]*\w\/?)`/g),
      ].map((match) => match[1] as string)
      const linked = [...text.matchAll(/\]\((?!https?:|#|\/|mailto:)([^)#\s]+)[^)]*\)/g)].map((match) =>
        relative(ROOT, resolve(ROOT, dirname(path), match[1] as string)),
      )
      return [...quoted, ...linked]
        .filter((target) => !existsSync(join(ROOT, target)) && !target.startsWith('bench/results/'))
        .map((target) => `${path}: ${target}`)
    })
    expect(missing).toEqual([])
  })

  test('ARCHITECTURE.md stays under 200 lines', () => {
    expect(read('ARCHITECTURE.md').split('\n').length).toBeLessThan(200)
  })
})

describe('schema', () => {
  const db = useTestDatabase()
  const GLOBAL_TABLES = [...lookupTables, ...globalTables]
  /**
   * Those of words begin with the organization themselves: see search.ts. The last four find what is past its time, of
   * all organizations at once; they are not unique, so that every shard can have its own.
   */
  const GLOBAL_INDEXES = [
    'api_keys_token_hash_key',
    'contacts_words_idx',
    'messages_words_idx',
    'message_statuses_parked_at_idx',
    'channel_reports_age_idx',
    'payment_notices_received_idx',
    'approvals_created_idx',
    'outbox_later_due_idx',
  ]

  test('every table is declared in src/boot/tables.ts by whose rows it holds', async () => {
    const found = await db.database.many<{ name: string; columns: string[] }>`
      select relname as name, array_agg(attname::text) as columns from pg_class
      join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition group by relname`
    const declared = [...tenantTables, ...lookupTables, ...globalTables]
    expect(found.map(({ name }) => name).toSorted()).toEqual(declared.toSorted())
    const isOfAnOrganization = ({ name, columns }: (typeof found)[number]) => columns.includes(orgColumnOf(name))
    expect(
      found
        .filter(isOfAnOrganization)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual([...tenantTables, ...lookupTables].toSorted())
  })

  test('a sandbox knows every deadline of its organization, and what a reset keeps', async () => {
    expect([...keptTables, ...outboxTables].filter((table) => !tenantTables.includes(table))).toEqual([])
    const times = await db.database.many<{ table: string; column: string }>`
      select relname as table, attname as column from pg_class
      join pg_attribute on attrelid = pg_class.oid and attnum > 0 and atttypid = 'timestamptz'::regtype
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`
    const isTime = (table: string, column: string) => times.some((one) => one.table === table && one.column === column)
    const moved = Object.entries(movedTimes).flatMap(([table, { deadlines = [], anchors = [] }]) =>
      [...deadlines, ...anchors].map((column) => ({ table, column })),
    )
    expect(moved.filter(({ table, column }) => !isTime(table, column))).toEqual([])
    // The answer of an attempt is history, and the range of a recovery is what its caller asked for.
    const STAYS = ['webhook_attempts.next_attempt_at', 'webhook_recoveries.until']
    const isDeadline = /^(expires_at|due_at|send_at|free_at|next_\w+_at|until|\w+_until)$/
    const forgotten = times.filter(
      ({ table, column }) =>
        tenantTables.includes(table) &&
        !outboxTables.includes(table) &&
        isDeadline.test(column) &&
        !STAYS.includes(`${table}.${column}`) &&
        !(movedTimes[table]?.deadlines ?? []).includes(column),
    )
    expect(forgotten).toEqual([])
  })

  test('no statement on a tenant table forgets the organization', async () => {
    const touches = new RegExp(`\\b(?:from|join|into|update)\\s+(${tenantTables.join('|')})\\b`)
    const forgetful = code
      .filter((path) => path.endsWith('.sql.ts'))
      .flatMap((path) =>
        [...read(path).matchAll(/`[^`]*`/g)]
          .filter(
            ([text]) =>
              touches.test(text) && !/org_id|fromHome\(|ofLane\(|OfLane\(|isOrgApart\(|\$\{orgId\}/.test(text),
          )
          .map(([text]) => `${path}: ${text.slice(0, 100)}`),
      )
    // The look-up that finds the organization, and the statements about all organizations: the age of the backlog, two
    // sweeps.
    const isForAll = /token_hash|oldest_due_at|outbox_key_gaps where free_at|outbox_later where due_at/
    expect(forgetful.filter((line) => !isForAll.test(line))).toEqual([])
  })

  /**
   * In a cluster the shard of a statement is found by `org_id = $1`. So a look-up that compares with a column of the wanted rows, a
   * list of organizations or a hidden value goes through organization-filter.ts, which writes the plain parameter there.
   */
  test('a statement names one organization as a plain parameter', () => {
    const FOREIGN = /org_id = (?:\(select|any\()|org_id \|\| ''|\borg_id = (?!excluded)[a-z_]+\.org_id/
    /**
     * About all organizations: the scout and the recount of the outbox, what keeps a day of events, logs without a checkpoint. Joins
     * of two tables by their organization, of which the statement names one; and tables that are no shards: keys and members.
     */
    const FOR_ALL =
      /working\.|waiting\.org_id|leased\.org_id|held\.org_id|l\.org_id|counter\.org_id|backlog\.org_id|api_keys\.org_id|attempt\.org_id|orders\.org_id|next\.|memberships\.org_id|organization-filter/
    const hidden = code
      .filter((path) => path.endsWith('.sql.ts'))
      .flatMap((path) =>
        read(path)
          .split('\n')
          .filter((line) => FOREIGN.test(line) && !FOR_ALL.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      )
    expect(hidden).toEqual([])
  })

  test('an insert of listed rows selects from the home of its organization', () => {
    const homeless = code
      .filter((path) => path.endsWith('.sql.ts'))
      .flatMap((path) =>
        [...read(path).matchAll(/insert into \w+[^`]*?\bselect [^`]*?\$\{(?:\w+\.)?orgId\}::text/g)].map(
          ([text]) => `${path}: ${text.slice(0, 80)}`,
        ),
      )
    expect(homeless).toEqual([])
  })

  test('every key and index of a tenant table begins with the organization', async () => {
    const indexes = await db.database.many<{ table: string; index: string; first: string | null }>`
      select parent.relname as table, child.relname as index, attribute.attname as first
      from pg_index
      join pg_class child on child.oid = pg_index.indexrelid
      join pg_class parent on parent.oid = pg_index.indrelid
      left join pg_attribute attribute on attribute.attrelid = parent.oid and attribute.attnum = pg_index.indkey[0]
      where parent.relnamespace = 'public'::regnamespace and not parent.relispartition`
    const wrong = indexes.filter(
      ({ table, index, first }) =>
        !GLOBAL_TABLES.includes(table) && !GLOBAL_INDEXES.includes(index) && first !== 'org_id',
    )
    expect(wrong).toEqual([])
  })

  test('tenant tables have no triggers and no identity columns', async () => {
    const triggers = await db.database.many`select tgname from pg_trigger where not tgisinternal`
    const identities = await db.database.many`
      select attrelid::regclass::text, attname from pg_attribute
      where attidentity <> '' and attrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)`
    expect([triggers.length, identities.length]).toEqual([0, 0])
  })

  test('constraints and indexes carry the names we gave them', async () => {
    const unnamed = await db.database.many<{ name: string }>`
      select conname as name from pg_constraint
      where connamespace = 'public'::regnamespace and contype in ('c', 'f') and conname ~ '_(check|fkey)[0-9]+$'`
    expect(unnamed.map((row) => row.name)).toEqual([])
  })
})
