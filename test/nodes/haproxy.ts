import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { aFreePort } from '../support/server.ts'
import { until } from '../support/until.ts'

/** HAProxy with the configuration that we ship, on ports of loopback. */
export type Proxy = {
  url: string
  /** How many nodes it takes for ready. */
  countUp(): Promise<number>
  stop(): Promise<void>
}

const CONFIGURATION = resolve(import.meta.dirname, '..', '..', 'deploy', 'compose', 'haproxy.cfg')

export const isInstalled = (program: string) => spawnSync('which', [program]).status === 0

export async function startProxy(folder: string, ports: readonly number[]): Promise<Proxy> {
  const port = await aFreePort()
  const shipped = readFileSync(CONFIGURATION, 'utf8')
  const servers = shipped.match(/^ {2}server \S+ \S+:3900 /gm) ?? []
  if (servers.length !== ports.length) throw new Error(`the configuration has ${servers.length} nodes`)
  const text = servers.reduce(
    (all, line, index) => all.replace(line, line.replace(/\S+:3900/, `127.0.0.1:${ports[index]}`)),
    shipped.replace('bind :3900', `bind 127.0.0.1:${port}`),
  )
  const file = join(folder, 'haproxy.cfg')
  const statistics = await aFreePort()
  writeFileSync(file, `${text}\nfrontend statistics\n  bind 127.0.0.1:${statistics}\n  stats enable\n  stats uri /\n`)
  const child: ChildProcess = spawn('haproxy', ['-db', '-q', '-f', file], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  await until(() =>
    fetch(`${url}/healthz`).then(
      (answer) => answer.ok,
      () => false,
    ),
  )
  return {
    url,
    async countUp() {
      const csv = await (await fetch(`http://127.0.0.1:${statistics}/;csv`)).text()
      return csv.split('\n').filter((line) => /^nodes,(?!BACKEND)/.test(line) && line.includes(',UP,')).length
    },
    async stop() {
      const ended = new Promise((resolveEnd) => child.once('exit', resolveEnd))
      child.kill('SIGTERM')
      await ended
    },
  }
}
