import { firstOf } from '../../kernel/lists.ts'
import type { BugCode } from './bugs.ts'
import {
  type Answer,
  bugShownBy,
  type Exchange,
  explainBugs,
  type Judgement,
  judgeRuns,
  type ProbeRun,
  plainFault,
  readAnswer,
} from './judgement.ts'
import type { Message, Workbench } from './messages.ts'
import { type Probe, type ProbeName, plainProbe, probes } from './probes.ts'
import { type Trial, trialsFor } from './trials.ts'

/**
 * One certification, from the first message to the report:
 *
 *   plain event accepted ──▶ all other probes, one message at a time ──▶ judged
 *   plain event refused ──▶ trials, until one is accepted ──▶ the others would prove nothing and are skipped
 *   not reached, redirected, nothing there ──▶ the others are skipped
 *
 * A receiver that answers 429 is given the time it asks for, once and within reason. When the time for the whole is up,
 * what was not sent is skipped.
 */
export type Sender = (message: Message) => Promise<Answer & { retryAfterMs: number | null }>

type RunOptions = {
  send: Sender
  wait: (ms: number) => Promise<void>
  /** From which median time to an answer a receiver counts as slow, and as too slow. */
  slowMs: number
  tooSlowMs: number
  /** For all probes together; the one under way when it is over still finishes. */
  limitMs: number
}

export const RUN_DEFAULTS = { slowMs: 1_000, tooSlowMs: 5_000, limitMs: 90_000 }

type TrialRun = { trial: Trial; exchange: Exchange; isAccepted: boolean }

export type CertificationRun = Judgement & { runs: ProbeRun[]; trials: TrialRun[] }

export async function runCertification(bench: Workbench, options: RunOptions): Promise<CertificationRun> {
  const startedMs = bench.clock.now()
  const isTimeUp = () => bench.clock.now() - startedMs > options.limitMs
  const plain = await runProbe(bench, plainProbe, options)
  if (plain.bug !== null) return explainRefusal(bench, plain, options, isTimeUp)
  const runs = [plain]
  for (const probe of probes.filter((each) => each !== plainProbe))
    runs.push(isTimeUp() ? skipped(probe, 'not_finished') : await runProbe(bench, probe, options))
  runs.push(measureTime(runs, options))
  const explained = explainBugs(runs)
  return { ...judgeRuns(explained), runs: explained, trials: [] }
}

async function runProbe(bench: Workbench, probe: Probe, options: RunOptions): Promise<ProbeRun> {
  const exchanges: Exchange[] = []
  for (const message of probe.messages(bench)) exchanges.push(await exchange(message, options))
  const { name, title, expected } = probe
  return { name, title, expected, exchanges, bug: bugShownBy(probe, exchanges), detail: null }
}

const LIMITED_WAIT_MS = 1_000
const LIMITED_WAIT_MS_MAX = 5_000

async function exchange(message: Message, { send, wait }: RunOptions): Promise<Exchange> {
  const answer = await send(message)
  const waitMs = answer.retryAfterMs ?? LIMITED_WAIT_MS
  if (readAnswer(answer) !== 'limited' || waitMs > LIMITED_WAIT_MS_MAX) return { message, answer }
  await wait(waitMs)
  return { message, answer: await send(message) }
}

const skipped = ({ name, title, expected }: Probe, bug: BugCode | null = null): ProbeRun => ({
  name,
  title,
  expected,
  exchanges: [],
  bug,
  detail: null,
})

async function explainRefusal(
  bench: Workbench,
  plain: ProbeRun,
  options: RunOptions,
  isTimeUp: () => boolean,
): Promise<CertificationRun> {
  const fault = plainFault(firstOf(plain.exchanges))
  const trials = fault === null ? await runTrials(bench, options, isTimeUp) : []
  const accepted = trials.find((run) => run.isAccepted)
  const bug = fault ?? accepted?.trial.bug ?? plain.bug
  const rest = probes.filter((probe) => probe !== plainProbe).map((probe) => skipped(probe))
  const detail = accepted === undefined ? null : `Accepted instead: ${lowerFirst(accepted.trial.title)}.`
  const runs = [{ ...plain, bug, detail }, ...rest]
  return { ...judgeRuns(runs), runs, trials }
}

const lowerFirst = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`

async function runTrials(bench: Workbench, options: RunOptions, isTimeUp: () => boolean): Promise<TrialRun[]> {
  const runs: TrialRun[] = []
  for (const trial of trialsFor(bench)) {
    if (isTimeUp()) break
    const made = await exchange(trial.message(bench), options)
    const isAccepted = readAnswer(made.answer) === 'accepted'
    runs.push({ trial, exchange: made, isAccepted })
    if (isAccepted) break
  }
  return runs
}

/** What is slow by nature, or meant to be refused, does not count. */
const UNTIMED: readonly ProbeName[] = ['large_body']

function measureTime(runs: readonly ProbeRun[], { slowMs, tooSlowMs }: RunOptions): ProbeRun {
  const timesMs = runs
    .filter((run) => !UNTIMED.includes(run.name))
    .flatMap((run) => run.exchanges)
    .filter(({ answer }) => readAnswer(answer) === 'accepted')
    .map(({ answer }) => answer.totalMs)
    .sort((one, other) => one - other)
  const medianMs = timesMs[timesMs.length >> 1] ?? 0
  return {
    name: 'response_time',
    title: 'How long the receiver takes to accept an event',
    expected: `half of the responses within ${slowMs} ms`,
    exchanges: [],
    bug: medianMs > tooSlowMs ? 'very_slow' : medianMs > slowMs ? 'slow' : null,
    detail: `Half of ${timesMs.length} responses arrived within ${Math.round(medianMs)} ms, the last after ${Math.round(timesMs.at(-1) ?? 0)} ms.`,
  }
}
