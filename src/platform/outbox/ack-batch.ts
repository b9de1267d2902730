import type { OrgId } from '../../kernel/ids.ts'
import { isDatabaseUnavailable, isTimeout } from '../database/database-errors.ts'
import type { Log } from '../telemetry/log.ts'
import type { Ack, FinishedRun } from './ack.ts'
import { answersOf, type ClaimedEntry } from './job.ts'

/**
 * Collects finished runs and acknowledges them together, one batch at a time. While a batch is being written the next one
 * gathers, so under load the batches grow and the short wait only matters when there is little to do.
 *
 * A batch that fails is not lost. Sending twice is harmless, see ack.ts. It failed because
 *   the database is away             it is sent again until it holds or the leases run out;
 *   a row is locked elsewhere        it is halved until the runs behind the lock are alone; these are set aside and sent
 *                                    again until they hold, while the others go on;
 *   a capability's `record` failed   it is halved until the culprit is alone, which is left to its lease.
 */
export type AckBatchOptions = {
  ack: (runs: FinishedRun[], lockMs: number) => Promise<Ack>
  onAcked: (ack: Ack) => void
  onAbandoned: (runs: FinishedRun[]) => void
  /** Nothing is being written any more. */
  onIdle?: () => void
  log: Log
}

const GATHER_MS = 5
const BATCH_MIN = 64
/**
 * In answers, which is what is written down; a run may bring many. A batch holds its lanes until it is written, so that
 * nothing is claimed from them meanwhile: with three thousand answers that was a third of a second in which nothing was sent.
 */
const BATCH_MAX = 1_024
const RETRY_MS = 250
/** How long a batch waits for a lock held elsewhere; its parts, once one is known to be locked, hardly wait at all. */
const LOCK_MS = 500
const LOCK_MS_OF_PARTS = 50

class AckBatch {
  readonly #options: AckBatchOptions
  #pending: FinishedRun[] = []
  #setAside: FinishedRun[] = []
  #writing: Promise<void> | null = null
  #retrying: Promise<void> | null = null
  #isGivingUp = false
  #hurry: (() => void) | null = null

  constructor(options: AckBatchOptions) {
    this.#options = options
  }

  /** `running` counts this run and all others that are not acknowledged: when every one of them is here, none is waited for. */
  add(run: FinishedRun, running: number): void {
    this.#pending.push(run)
    this.#writing ??= this.#writeAll()
    if (this.#pending.length >= Math.min(BATCH_MIN, running)) this.#hurry?.()
  }

  /** Everything added so far is acknowledged or abandoned. */
  async flush(): Promise<void> {
    this.#hurry?.()
    await this.#writing
    await this.#retrying
  }

  /** Nothing of it is being written or waits for it. */
  isIdle(): boolean {
    return this.#pending.length + this.#setAside.length === 0 && this.#retrying === null && this.#writing === null
  }

  /** From now on a failing batch is abandoned instead of tried again. */
  giveUp(): void {
    this.#isGivingUp = true
  }

  async #writeAll(): Promise<void> {
    await this.#gather()
    while (this.#pending.length > 0) await this.#write(this.#takeBatch(), LOCK_MS)
    this.#writing = null
    this.#options.onIdle?.()
  }

  /** Beside the batches, so that nothing waits for what is locked. */
  async #retrySetAside(): Promise<void> {
    while (this.#setAside.length > 0) {
      await pause(RETRY_MS)
      await this.#write(this.#setAside.splice(0), LOCK_MS_OF_PARTS)
    }
    this.#retrying = null
    this.#options.onIdle?.()
  }

  #takeBatch(): FinishedRun[] {
    let answers = 0
    const end = this.#pending.findIndex((run) => {
      answers += answersIn(run)
      return answers >= BATCH_MAX
    })
    return this.#pending.splice(0, end === -1 ? this.#pending.length : end + 1)
  }

  async #gather(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, GATHER_MS)
    this.#hurry = resolve
    await promise
    clearTimeout(timer)
    this.#hurry = null
  }

  async #write(runs: FinishedRun[], lockMs: number): Promise<void> {
    const { ack, onAcked, onAbandoned, log } = this.#options
    for (;;) {
      try {
        return onAcked(await ack(runs, lockMs))
      } catch (error) {
        const isLocked = isTimeout(error)
        const isAway = !isLocked && isDatabaseUnavailable(error)
        if (!isAway && runs.length > 1) return this.#writeHalves(runs)
        if (this.#isGivingUp || !(isAway || isLocked)) {
          log.error({ entry_ids: runs.map((run) => run.entry.id), err: error }, 'outbox runs abandoned to their leases')
          return onAbandoned(runs)
        }
        log.warn({ runs: runs.length, err: error }, 'outbox acknowledgement will be sent again')
        if (isLocked) return this.#retryLater(runs)
        await pause(RETRY_MS)
      }
    }
  }

  #retryLater(runs: FinishedRun[]): void {
    this.#setAside.push(...runs)
    this.#retrying ??= this.#retrySetAside()
  }

  async #writeHalves(runs: FinishedRun[]): Promise<void> {
    const middle = Math.ceil(runs.length / 2)
    await this.#write(runs.slice(0, middle), LOCK_MS_OF_PARTS)
    await this.#write(runs.slice(middle), LOCK_MS_OF_PARTS)
  }
}

const answersIn = ({ outcome }: FinishedRun): number => (outcome.kind === 'released' ? 1 : answersOf(outcome).length)

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * One acknowledgement at a time for each organization, and those of several side by side: an organization whose rows are
 * locked, or whose batches are large, holds up only its own.
 */
type Writer = { batch: AckBatch; running: number }

export class AckWriters {
  readonly #options: AckBatchOptions
  readonly #writers = new Map<string, Writer>()
  #isGivingUp = false

  constructor(options: AckBatchOptions) {
    this.#options = options
  }

  /** A run of this entry began, and will be acknowledged. */
  begin({ orgId }: ClaimedEntry): void {
    const writer = this.#writers.get(orgId) ?? this.#open(orgId)
    writer.running += 1
  }

  /** It was acknowledged, or never will be. */
  end({ orgId }: ClaimedEntry): void {
    const writer = this.#writers.get(orgId)
    if (writer === undefined) return
    writer.running -= 1
    this.#close(orgId)
  }

  add(run: FinishedRun): void {
    const { orgId } = run.entry
    const { batch, running } = this.#writers.get(orgId) ?? this.#open(orgId)
    batch.add(run, running)
  }

  async flush(): Promise<void> {
    await Promise.all([...this.#writers.values()].map(({ batch }) => batch.flush()))
  }

  giveUp(): void {
    this.#isGivingUp = true
    for (const { batch } of this.#writers.values()) batch.giveUp()
  }

  #open(orgId: OrgId): Writer {
    const batch = new AckBatch({ ...this.#options, onIdle: () => this.#close(orgId) })
    const writer = { batch, running: 0 }
    if (this.#isGivingUp) writer.batch.giveUp()
    this.#writers.set(orgId, writer)
    return writer
  }

  /** Once nothing of the organization runs or is being written. */
  #close(orgId: OrgId): void {
    const writer = this.#writers.get(orgId)
    if (writer?.running === 0 && writer.batch.isIdle()) this.#writers.delete(orgId)
  }
}
