import { spawn } from 'node:child_process'

/**
 * `npm run test:citus`: what matters on the cluster of NEXKIT_TEST_CITUS_URL, or the tests of the paths that are given. Without a cluster
 * it says so and ends well.
 */
const SHORT = [
  'src/platform/cluster/distribution.test.ts',
  'src/platform/outbox/claim.test.ts',
  'src/platform/outbox/maintenance-tasks.test.ts',
  'test/flows/cluster-shards.test.ts',
]

if (!process.env.NEXKIT_TEST_CITUS_URL) {
  console.log('left out: NEXKIT_TEST_CITUS_URL is not set (see CONTRIBUTING.md)')
  process.exit(0)
}
const given = process.argv.slice(2)
const paths = given.length > 0 ? given : SHORT
const child = spawn(process.execPath, ['test', '--timeout', '60000', ...paths], { stdio: 'inherit' })
child.once('exit', (code) => process.exit(code ?? 1))
