import { describe, expect, test } from 'bun:test'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { YAML } from 'bun'

const root = resolve(import.meta.dir, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const isInstalled = (program: string) => spawnSync('which', [program]).status === 0

const NODE_FILES = ['Dockerfile', 'compose.yaml', 'deploy/compose/nodes.yaml', 'deploy/helm/nexkit/values.yaml']
const MONITORING_FILES = ['deploy/prometheus/alerts.yaml', 'deploy/grafana/nexkit.json']

describe('deploy', () => {
  test('every setting that a container gets exists', () => {
    const settings = read('docs/reference/settings.md')
    for (const file of NODE_FILES) {
      const names = new Set(read(file).match(/\bNEXKIT_[A-Z0-9_]+|\bDATABASE_URL\b|\bMETRICS_(?:TOKEN|PORT)\b/g))
      names.delete('NEXKIT_NODE_IMAGE')
      const unknown = [...names].filter((name) => !settings.includes(`\`${name}\``))
      expect({ file, unknown }).toEqual({ file, unknown: [] })
    }
  })

  test('every metric of the dashboard and the alerts exists', () => {
    const listed = new Set([...read('docs/reference/metrics.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name))
    for (const file of MONITORING_FILES) {
      const text = read(file)
      const names = text.match(/\b(?:nexkit|process)_[a-z0-9_]+/g) ?? []
      // A pattern such as "nexkit_messages_(failed_.+|returned)_total" names several.
      const isKnown = (name: string) =>
        listed.has(name.replace(/_bucket$/, '')) ||
        (name.endsWith('_') && [...listed].some((metric) => metric?.startsWith(name)))
      expect({ file, unknown: names.filter((name) => !isKnown(name)) }).toEqual({ file, unknown: [] })
      expect(names.length).toBeGreaterThan(9)
    }
  })

  test('the image and the package take the same files of the server', () => {
    const copied = [...read('Dockerfile').matchAll(/^COPY (?!--|package\.json package-lock)(.+) \S+$/gm)]
    const files = copied.flatMap(([, sources]) => sources?.split(' ') ?? []).filter((file) => file !== '.')
    const packed: string[] = JSON.parse(read('package.json')).files
    const wanted = packed.filter((file) => !/^!|^build\//.test(file))
    expect(files.toSorted()).toEqual([...wanted, 'LICENSE', 'package.json'].toSorted())
  })

  test('the files of compose and of the chart are valid YAML with the roles that the server has', () => {
    const nodes = YAML.parse(read('deploy/compose/nodes.yaml')) as { services: Record<string, { command?: string[] }> }
    const roles = Object.values(nodes.services).flatMap(({ command }) =>
      command?.includes('--role') ? command[2] : [],
    )
    expect(roles).toEqual(['api', 'api', 'worker'])
    const values = YAML.parse(read('deploy/helm/nexkit/values.yaml')) as Record<string, unknown>
    expect(Object.keys(values)).toContain('worker')
    const chart = YAML.parse(read('deploy/helm/nexkit/Chart.yaml')) as { appVersion: string }
    expect(chart.appVersion).toBe(JSON.parse(read('package.json')).version)
  })

  test.skipIf(!isInstalled('promtool'))('Prometheus accepts the alerts, and they fire when they should', () => {
    const folder = join(root, 'deploy/prometheus')
    execFileSync('promtool', ['check', 'rules', 'alerts.yaml'], { cwd: folder, stdio: 'pipe' })
    const rules = execFileSync('promtool', ['test', 'rules', 'alerts.test.yaml'], { cwd: folder, stdio: 'pipe' })
    expect(String(rules)).toContain('SUCCESS')
  })

  test.skipIf(!isInstalled('promtool'))('Prometheus accepts every query of the dashboard', () => {
    const dashboard = read('deploy/grafana/nexkit.json')
    const queries = [...dashboard.matchAll(/"expr": (".*")/g)].map(([, query]) => JSON.parse(query as string) as string)
    // Grafana fills in its variables.
    const filledIn = queries.map((query) => query.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'))
    const rules = filledIn.map((expr, index) => ({ record: `query:${index}`, expr }))
    const folder = mkdtempSync(join(tmpdir(), 'nexkit-dashboard-'))
    const file = join(folder, 'queries.yaml')
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    const checked = spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' })
    rmSync(folder, { recursive: true })
    expect(checked.stderr + checked.stdout).toContain(`SUCCESS: ${queries.length} rules found`)
    expect(queries.length).toBeGreaterThan(20)
  })

  test.skipIf(!isInstalled('systemd-analyze'))('systemd accepts the service', () => {
    const checked = spawnSync('systemd-analyze', ['verify', 'deploy/systemd/nexkit.service'], { cwd: root })
    // Where the service is not installed, its program may be missing, and nothing else.
    const said = String(checked.stderr)
      .split('\n')
      .filter((line) => line !== '' && !/is not executable|Failed to (?:connect|prepare)/.test(line))
    expect(said).toEqual([])
  })
})
