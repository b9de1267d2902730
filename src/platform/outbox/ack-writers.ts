import type { OrgId } from '../../kernel/ids.ts'
import type { FinishedRun } from './ack.ts'
import { AckBatch, type AckBatchOptions } from './ack-batch.ts'
import type { ClaimedEntry } from './job.ts'

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
