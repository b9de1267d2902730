import { spawn, spawnSync } from 'node:child_process'

/**
 * `npm run test:nodes`: the tests of several nodes in their long form, with a rolling restart behind HAProxy during 20,000 requests
 * (NODE_TEST_REQUESTS sets another count) and the promotion of standbys. Installs nothing: what is missing is named, and its tests are
 * left out.
 */
const NEEDS = [{ program: 'haproxy', remedy: 'apt-get install haproxy' }]

for (const { program, remedy } of NEEDS)
  if (spawnSync('which', [program]).status !== 0) console.log(`left out what needs ${program}: ${remedy}`)

const env = { ...process.env, NEXKIT_NODE_TESTS: '1', NODE_TEST_REQUESTS: process.env.NODE_TEST_REQUESTS ?? '20000' }
const child = spawn(process.execPath, ['test', '--timeout', '300000', 'test/nodes'], { stdio: 'inherit', env })
child.once('exit', (code) => process.exit(code ?? 1))
