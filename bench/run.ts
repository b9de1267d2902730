import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { StartError } from '../src/kernel/errors.ts'
import { chats } from './chats.ts'
import { coldStart } from './cold-start.ts'
import { deliveries } from './deliveries.ts'
import { deliveryLatency } from './delivery-latency.ts'
import { everydayMessages, everydayOrders, markPaid, messageBurst } from './everyday.ts'
import { groupCommit } from './group-commit.ts'
import { hanging } from './hanging.ts'
import { inbound } from './inbound.ts'
import { isolation } from './isolation.ts'
import { me } from './me.ts'
import { memory } from './memory.ts'
import { messages } from './messages.ts'
import { buildSites } from './nexkit-server.ts'
import { orderPages, orders } from './orders.ts'
import { organizations } from './organizations.ts'
import type { Bench, Finding, Question } from './question.ts'
import { type Answer, makeReport, makeTable, saveReport } from './report.ts'
import { requestLog } from './request-log.ts'

/**
 * Asks every question in turn, each in a folder of its own, within two minutes altogether. A question that fails or runs
 * out of time is reported as such and does not keep the others from being asked. A missed bar makes the exit code 1.
 */
const QUESTIONS: Question[] = [
  coldStart,
  me,
  requestLog,
  groupCommit,
  messages,
  inbound,
  chats,
  deliveries,
  isolation,
  hanging,
  organizations,
  deliveryLatency,
  orders,
  orderPages,
  everydayOrders,
  everydayMessages,
  markPaid,
  messageBurst,
  memory,
]
const SECONDS_MAX = 120
const AGEING_SECONDS_MAX = 40

export type BenchOptions = {
  only?: string[]
  json?: boolean
  /** Plays a disk whose flushes take this much longer. */
  flushMs?: number
  /** How long `memory` loads the server; the time of the run is extended by as much. */
  minutes?: number
  /** On a database that is three months old, over a network. */
  isAged?: boolean
}

const FLUSH_MS_MAX = 100
const MINUTES_MAX = 24 * 60

export async function runBench(options: BenchOptions): Promise<void> {
  const { flushMs = 0, isAged = false } = options
  if (!(flushMs >= 0 && flushMs <= FLUSH_MS_MAX))
    throw new StartError(`--flush-ms is a number of milliseconds from 0 to ${FLUSH_MS_MAX}.`)
  const { minutes = 0.5 } = options
  if (!(minutes > 0 && minutes <= MINUTES_MAX))
    throw new StartError(`--minutes is a number of minutes, at most ${MINUTES_MAX}.`)
  const extraSeconds = options.minutes === undefined ? 0 : minutes * 60
  await buildSites()
  const startedAt = new Date()
  const startedAtMs = performance.now()
  const secondsPassed = () => (performance.now() - startedAtMs) / 1000
  const answers: Answer[] = []
  for (const question of chooseQuestions(options.only, isAged)) {
    process.stderr.write(`${question.name}: ${question.asks}\n`)
    const secondsLeft = SECONDS_MAX + extraSeconds - secondsPassed()
    answers.push(await answer(question, { secondsLeft, extraSeconds, flushMs, minutes, isAged }))
  }
  const report = makeReport(answers, { startedAt, seconds: secondsPassed(), flushMs, isAged })
  if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`)
  else
    process.stdout.write(
      `\n${makeTable(answers)}${diskLine(flushMs)}${ageLine(isAged)}\nFigures: ${relative(process.cwd(), saveReport(report))}\n`,
    )
  if (!report.all_bars_met) process.exitCode = 1
}

/** Bars are meant for the disk as it is. */
const diskLine = (flushMs: number) =>
  flushMs === 0 ? '' : `\nWith a disk whose flushes take ${flushMs} ms longer than this one's.\n`

const ageLine = (isAged: boolean) =>
  isAged
    ? '\nWith 10,000 further organizations, all days that are kept, and 1 ms to the database and back. No bars.\n'
    : ''

function chooseQuestions(only: string[] | undefined, isAged: boolean): Question[] {
  const questions = isAged ? QUESTIONS.filter(({ hasAgedForm }) => hasAgedForm) : QUESTIONS
  if (only === undefined) return questions
  const names = questions.map((question) => question.name)
  const unknown = only.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new StartError(`There is no measure ${unknown}; choose from ${names.join(', ')}.`)
  return questions.filter((question) => only.includes(question.name))
}

type Conditions = { secondsLeft: number; extraSeconds: number; flushMs: number; minutes: number; isAged: boolean }

async function answer(question: Question, conditions: Conditions): Promise<Answer> {
  const { secondsLeft, isAged } = conditions
  if (secondsLeft < question.secondsMax / 2) {
    return { question: question.name, state: 'skipped', reason: 'the two minutes are used up' }
  }
  const startedAtMs = performance.now()
  try {
    const secondsMax = question.secondsMax + conditions.extraSeconds + (isAged ? AGEING_SECONDS_MAX : 0)
    const found = await ask(question, { ...conditions, secondsLeft: Math.min(secondsLeft, secondsMax) })
    const findings = isAged ? found.map((finding) => ({ ...finding, bar: null })) : found
    const seconds = Math.round((performance.now() - startedAtMs) / 1000)
    return { question: question.name, state: 'answered', findings, seconds }
  } catch (error) {
    process.stderr.write(`  failed: ${(error as Error).message}\n`)
    return { question: question.name, state: 'failed', reason: (error as Error).message }
  }
}

async function ask(question: Question, { secondsLeft, flushMs, minutes, isAged }: Conditions): Promise<Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), 'nexkit-bench-'))
  const undos: (() => Promise<unknown> | unknown)[] = [() => rm(folder, { recursive: true, force: true })]
  const bench: Bench = {
    folder,
    flushMs,
    minutes,
    isAged,
    say: (sentence) => process.stderr.write(`  ${sentence}\n`),
    defer: (undo) => undos.push(undo),
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${Math.round(secondsLeft)} s`)), secondsLeft * 1000)
  })
  const unwind = async () => {
    clearTimeout(timer)
    for (const undo of undos.splice(0).reverse()) await Promise.resolve(undo()).catch(() => {})
  }
  let isInterrupted = false
  const interrupt = () => {
    isInterrupted = true
    void unwind().then(() => process.exit(130))
  }
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  try {
    return await Promise.race([question.run(bench), timeUp])
  } finally {
    // The question fails because its servers are being stopped; there is nothing to report about that.
    if (isInterrupted) await new Promise(() => {})
    await unwind()
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      json: { type: 'boolean' },
      'flush-ms': { type: 'string' },
      minutes: { type: 'string' },
      aged: { type: 'boolean' },
    },
  })
  const only = values.only?.split(',')
  await runBench({
    ...(only && { only }),
    json: values.json ?? false,
    flushMs: Number(values['flush-ms'] ?? 0),
    ...(values.minutes !== undefined && { minutes: Number(values.minutes) }),
    isAged: values.aged ?? false,
  }).catch((error) => {
    if (!(error instanceof StartError)) throw error
    console.error(error.message)
    process.exitCode = 2
  })
}
