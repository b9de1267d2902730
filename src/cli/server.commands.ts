import { writeFile } from 'node:fs/promises'
import { generateAsyncApi, generateOpenApi } from '../boot/public-routes.ts'
import { readConfig } from '../config.ts'
import { serve } from '../main.ts'
import { superviseProcesses } from '../supervisor.ts'
import { diagnose, type Finding } from './doctor.ts'
import { defineCommand, formatRows, jsonOption, UsageError } from './framework/command.ts'
import { withDatabase } from './framework/connection.ts'
import { printJson, printLine } from './framework/output.ts'

/** The variables that a supervisor passes to its children. */
const readSupervision = ({ NEXKIT_CHILD_PROCESS, NEXKIT_SUPERVISOR_PID }: NodeJS.ProcessEnv) => ({
  isChild: NEXKIT_CHILD_PROCESS === '1',
  ...(NEXKIT_SUPERVISOR_PID !== undefined && { supervisorPid: Number(NEXKIT_SUPERVISOR_PID) }),
})

export const serverCommands = [
  defineCommand({
    name: 'serve',
    summary: 'Start the server',
    details:
      '"npm start" does the same. Settings come from the environment; "npx nexkit help settings" lists them. SIGTERM or Ctrl-C stops the server after the requests in progress.',
    examples: ['npx nexkit serve', 'npx nexkit serve --processes 2'],
    options: {
      role: {
        type: 'string',
        help: 'all, api (serves requests) or worker (background work)',
        placeholder: 'role',
        fallback: 'all',
      },
      processes: { type: 'string', help: 'processes that share the port, 1 to 64', placeholder: 'n', fallback: '1' },
    },
    async run({ values }) {
      const role = String(values.role)
      if (role !== 'all' && role !== 'api' && role !== 'worker')
        throw new UsageError('--role must be all, api or worker.')
      const processes = Number(values.processes)
      if (!Number.isInteger(processes) || processes < 1 || processes > 64)
        throw new UsageError('--processes must be from 1 to 64.')
      const config = readConfig(process.env)
      if (processes === 1) return serve(config, { role, ...readSupervision(process.env) })
      return superviseProcesses(config, { role, processes })
    },
  }),
  defineCommand({
    name: 'migrate',
    summary: 'Update the database schema',
    details: 'Every start does the same. Use it to update the schema before the new version starts.',
    examples: ['npx nexkit migrate'],
    options: { json: jsonOption },
    async run({ values }) {
      const versions = await withDatabase(
        (database) => database.many<{ name: string }>`select name from schema_migrations order by version`,
      )
      const names = versions.map((version) => version.name)
      if (values.json) return printJson({ object: 'schema', migrations: names })
      printLine(`The schema is up to date (${names.at(-1)}).`)
    },
  }),
  defineCommand({
    name: 'doctor',
    summary: 'Check what the server needs, and say how to fix what is wrong',
    details:
      'Changes nothing. Exits with 1 when a check failed. With --deep it also compares the books: ledger and orders, event sequences, pending work, files and the whole audit log.',
    examples: ['npx nexkit doctor', 'npx nexkit doctor --deep', 'npx nexkit doctor --json'],
    options: {
      deep: {
        type: 'boolean',
        help: 'also read all rows and compare them with each other; takes minutes on a large database',
      },
      json: jsonOption,
    },
    async run({ values }) {
      const findings = await diagnose(process.env, { isDeep: values.deep === true })
      const failed = findings.filter((finding) => finding.status === 'failed')
      if (values.json) printJson({ object: 'diagnosis', ok: failed.length === 0, findings })
      else for (const line of findingLines(findings)) printLine(line)
      if (failed.length > 0) process.exitCode = 1
    },
  }),
]

export const descriptionCommands = [
  describing('openapi', 'Print the OpenAPI description of the public API', generateOpenApi),
  describing('asyncapi', 'Print the AsyncAPI description of the events', generateAsyncApi),
  defineCommand({
    name: 'bench',
    summary: 'Measure the performance of this machine in about two minutes',
    details: 'Results are ratios within one run. bench/README.md explains them.',
    examples: ['npx nexkit bench', 'npx nexkit bench --only orders'],
    options: {
      only: { type: 'string', help: 'comma list of the measurements to run', placeholder: 'names' },
      'flush-ms': {
        type: 'string',
        help: 'simulate a disk whose flushes take this many milliseconds longer',
        placeholder: 'ms',
      },
      minutes: {
        type: 'string',
        help: 'minutes that "memory" loads the server, in addition to the usual run',
        placeholder: 'minutes',
      },
      aged: {
        type: 'boolean',
        help: 'the everyday measurements on a database that is three months old, over a network',
      },
      json: jsonOption,
    },
    async run({ values }) {
      const { runBench } = await import('../../bench/run.ts')
      await runBench({
        ...(values.only !== undefined && { only: String(values.only).split(',') }),
        json: values.json === true,
        flushMs: Number(values['flush-ms'] ?? 0),
        ...(values.minutes !== undefined && { minutes: Number(values.minutes) }),
        isAged: values.aged === true,
      })
    },
  }),
]

const STATUS_WORDS = { ok: 'ok', warning: 'warn', failed: 'FAIL' } as const

function findingLines(findings: readonly Finding[]): string[] {
  const count = (status: Finding['status']) => findings.filter((finding) => finding.status === status).length
  const rows = findings.map(
    ({ subject, status, says }) => [`${STATUS_WORDS[status].padEnd(4)}  ${subject}`, says] as const,
  )
  return [
    ...formatRows(rows),
    '',
    `${findings.length} checks: ${count('warning')} warnings, ${count('failed')} failed.`,
  ]
}

function describing(name: string, summary: string, generate: () => string) {
  return defineCommand({
    name,
    summary,
    examples: [`npx nexkit ${name}`, `npx nexkit ${name} --write ${name}.json`],
    options: {
      write: { type: 'string', help: 'write it to this file instead of stdout', placeholder: 'file' },
      json: { type: 'boolean', help: 'accepted for scripts; the output is always JSON' },
    },
    async run({ values }) {
      if (values.write === undefined) process.stdout.write(generate())
      else await writeFile(String(values.write), generate())
    },
  })
}
