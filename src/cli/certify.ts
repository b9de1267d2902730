import type { OrgId } from '../kernel/ids.ts'
import {
  type CertificationRow,
  getCertification,
  presentCertification,
  requestCertification,
} from '../webhooks/certification/certification.ts'
import type { WebhooksContext } from '../webhooks/webhooks-context.ts'
import { type Command, defineCommand } from './framework/command.ts'
import type { EnterAct } from './framework/command-audit.ts'
import { printJson, printLine, printTable } from './framework/output.ts'
import { withWebhooks } from './webhooks.ts'

/** `endpoint certify`: asks for a certification, waits for the server to run it, and prints the report. */
const WAIT_MS = 150_000
const POLL_MS = 200
const FAILING_GRADES = ['D', 'F']

type Parts = {
  org: Command['options'][string]
  json: Command['options'][string]
  endpoint: NonNullable<Command['arguments']>[number]
}

export const certifyCommand = ({ org, json, endpoint }: Parts): Command =>
  defineCommand({
    name: 'endpoint certify',
    summary: 'Test a webhook receiver with signed probes and grade it',
    details:
      'A running server sends about a dozen probes, all marked as tests. The report names the likely bug. Exits with 1 for grades D and F.',
    examples: ['npx nexkit endpoint certify wep_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [endpoint],
    options: { org, json },
    async run({ values, arguments: [id] }) {
      const certification = await withWebhooks(values, (context, orgId, enter) =>
        certify(context, orgId, { endpointId: String(id), enter }),
      )
      if (values.json) printJson(presentCertification(certification))
      else printReport(certification)
      if (certification.grade === null || FAILING_GRADES.includes(certification.grade)) process.exitCode = 1
    },
  })

async function certify(
  context: WebhooksContext,
  orgId: OrgId,
  { endpointId, enter }: { endpointId: string; enter: EnterAct },
): Promise<CertificationRow> {
  const { database, clock } = context
  const { id } = await database.transaction(async (tx) => {
    const requested = await requestCertification(context, tx, orgId, endpointId)
    await enter(tx, orgId, { command: 'endpoint certify', act: 'certifyWebhookEndpoint', subject: endpointId })
    return requested
  })
  const untilMs = clock.now() + WAIT_MS
  let certification = await getCertification(database, orgId, { id, endpointId })
  while (certification.completed_at === null && clock.now() < untilMs) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    certification = await getCertification(database, orgId, { id, endpointId })
  }
  return certification
}

function printReport({ id, status, report, failure }: CertificationRow): void {
  if (report === null) {
    const isOver = status === 'failed'
    printLine(`Certification ${id} ${isOver ? `failed: ${failure}.` : `is ${status}. Check that a server is running.`}`)
    return
  }
  const rows = report.probes.map((probe) => ({
    VERDICT: probe.verdict,
    PROBE: probe.name,
    EXPECTED: probe.expected,
    GOT: probe.detail ?? probe.exchanges.map(({ received }) => received.error_class ?? received.status).join(', '),
  }))
  printTable(rows)
  printLine()
  printLine(`Grade ${report.grade}. ${report.summary}`)
  // The worst is in the summary.
  for (const bug of report.likely_bugs.slice(1)) printLine(`Also: ${bug.says}`)
}
