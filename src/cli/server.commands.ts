import { writeFile } from 'node:fs/promises'
import { generateAsyncApi, generateOpenApi } from '../boot/public-routes.ts'
import { readConfig, settingsHelp } from '../config.ts'
import { serve } from '../main.ts'
import { superviseProcesses } from '../supervisor.ts'
import { diagnose } from './doctor.ts'
import { defineCommand, UsageError } from './framework/command.ts'
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
    summary: 'Run the server',
    details: `Settings come from the environment:\n\n${settingsHelp()
      .map(({ name, help, fallback }) => `  ${name.padEnd(34)} ${help}${fallback === '' ? '' : ` (${fallback})`}`)
      .join('\n')}`,
    options: {
      role: {
        type: 'string',
        help: 'all, api (answers requests) or worker (background work)',
        placeholder: 'role',
        fallback: 'all',
      },
      processes: { type: 'string', help: 'how many processes share the port', placeholder: 'n', fallback: '1' },
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
    summary: 'Bring the database schema up to date',
    options: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },
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
    summary: 'Look at everything the server needs and say what is wrong',
    options: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },
    async run({ values }) {
      const findings = await diagnose(process.env)
      const failed = findings.filter((finding) => finding.status === 'failed')
      if (values.json) printJson({ object: 'diagnosis', ok: failed.length === 0, findings })
      else
        for (const finding of findings)
          printLine(
            `${{ ok: '  ok   ', warning: '  warn ', failed: '  FAIL ' }[finding.status]} ${finding.subject}: ${finding.says}`,
          )
      if (failed.length > 0) process.exitCode = 1
    },
  }),
  describing('openapi', 'Print the OpenAPI description of the public API', generateOpenApi),
  describing('asyncapi', 'Print the AsyncAPI description of the events that webhooks get', generateAsyncApi),
  defineCommand({
    name: 'bench',
    summary: 'Measure this machine: ratios within one run, two minutes at most',
    options: {
      only: { type: 'string', help: 'comma list of measures to run', placeholder: 'names' },
      'flush-ms': {
        type: 'string',
        help: 'play a disk whose flushes take this many milliseconds longer',
        placeholder: 'ms',
      },
      minutes: {
        type: 'string',
        help: 'how long "memory" loads the server; the run takes longer by as much',
        placeholder: 'minutes',
      },
      aged: { type: 'boolean', help: 'the everyday measures on a database that is three months old, over a network' },
      json: { type: 'boolean', help: 'print one JSON object on stdout' },
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

function describing(name: string, summary: string, generate: () => string) {
  return defineCommand({
    name,
    summary,
    options: {
      write: { type: 'string', help: 'write it to this file instead', placeholder: 'file' },
      json: { type: 'boolean', help: 'print one JSON object on stdout, as it does anyway' },
    },
    async run({ values }) {
      if (values.write === undefined) process.stdout.write(generate())
      else await writeFile(String(values.write), generate())
    },
  })
}
