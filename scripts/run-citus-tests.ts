import { spawn } from 'node:child_process'

/**
 * `npm run test:citus`: rules, routes and flows on the cluster of NEXKIT_TEST_CITUS_URL; with `--short` the files that matter most; or the
 * tests of the paths that are given. Without a cluster it says so and ends well.
 */
const FULL = [
  ...[
    'accounts',
    'agents',
    'broadcasts',
    'channels',
    'erasure',
    'events',
    'messaging',
    'orders',
    'payments',
    'products',
    'request-logs',
  ],
  ...['webhooks', 'cli/cluster', 'platform/cluster', 'platform/database', 'platform/http', 'platform/outbox'],
].map((folder) => `./src/${folder}/`)

const FLOWS = ['cluster-shards', 'conditional-changes', 'inbound-messages', 'order-story', 'webhook-story']

const SHORT = [
  './src/platform/cluster/distribution.test.ts',
  './src/platform/outbox/claim.test.ts',
  './src/platform/outbox/maintenance-tasks.test.ts',
  './test/flows/cluster-shards.test.ts',
]

if (!process.env.NEXKIT_TEST_CITUS_URL) {
  console.log('left out: NEXKIT_TEST_CITUS_URL is not set (see CONTRIBUTING.md)')
  process.exit(0)
}

function listPaths([first, ...others]: string[]): string[] {
  if (first === '--short') return SHORT
  return first === undefined ? [...FULL, ...FLOWS.map((name) => `./test/flows/${name}.test.ts`)] : [first, ...others]
}

/** A process for each path: one for all of them keeps what hundreds of test files left behind, and slows down. */
async function runTests(path: string, counts: Map<string, number>): Promise<boolean> {
  const child = spawn(process.execPath, ['test', '--timeout', '300000', path], { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const)
    from.on('data', (chunk) => {
      text += chunk
      to.write(chunk)
    })
  const code = await new Promise<number | null>((done) => child.once('close', done))
  for (const [, count, kind] of text.matchAll(/^ *(\d+) (pass|skip|fail)$/gm))
    counts.set(kind as string, (counts.get(kind as string) ?? 0) + Number(count))
  return code === 0
}

const counts = new Map<string, number>()
const failed: string[] = []
for (const path of listPaths(process.argv.slice(2))) if (!(await runTests(path, counts))) failed.push(path)
console.log(
  `\n${counts.get('pass') ?? 0} passed, ${counts.get('skip') ?? 0} skipped, ${counts.get('fail') ?? 0} failed`,
)
if (failed.length > 0) console.log(`failed: ${failed.join(', ')}`)
process.exit(failed.length === 0 ? 0 : 1)
