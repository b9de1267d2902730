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
  ...['webhooks', 'platform/cluster', 'platform/database', 'platform/http', 'platform/outbox'],
].map((folder) => `./src/${folder}/`)

const FLOWS = [
  'cluster-shards',
  'conditional-changes',
  'inbound-messages',
  'money-stories',
  'order-story',
  'webhook-story',
]

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

const paths = listPaths(process.argv.slice(2))
const child = spawn(process.execPath, ['test', '--timeout', '60000', ...paths], { stdio: 'inherit' })
child.once('exit', (code) => process.exit(code ?? 1))
