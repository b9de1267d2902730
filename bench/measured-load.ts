import { type LoadPlan, type LoadReport, startLoad } from './load.ts'
import { processorSeconds } from './process-usage.ts'
import { round } from './question.ts'

/** A load, and how much of its processor time the server needed for one answer; null where it is not known. */
export type Round = LoadReport & { processorMicroseconds: number | null }

export async function measureLoad(pid: number, plan: LoadPlan): Promise<Round> {
  const before = processorSeconds(pid)
  const report = await startLoad(plan)
  const used = before === null ? null : (processorSeconds(pid) as number) - before
  return { ...report, processorMicroseconds: used === null ? null : round((used * 1e6) / report.answered, 1) }
}

export function refuseFailures(reports: readonly LoadReport[]): void {
  const failed = reports.find((report) => report.non2xx > 0 || report.connectionsBroken > 0)
  if (failed !== undefined) throw new Error(`requests failed, so nothing was measured: ${JSON.stringify(failed)}`)
}
