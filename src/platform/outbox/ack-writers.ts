import type { FinishedRun } from './ack.ts'
import { AckBatch, type AckBatchOptions } from './ack-batch.ts'
import type { ClaimedEntry } from './job.ts'

/**
 * Several acknowledgements at a time, each organization always by the same writer: an organization whose rows are locked,
 * or whose batches are large, holds up one of them and not all.
 */
const WRITERS = 4

type Writer = { batch: AckBatch; running: number }

export class AckWriters {
  readonly #writers: readonly Writer[]

  constructor(options: AckBatchOptions) {
    this.#writers = Array.from({ length: WRITERS }, () => ({ batch: new AckBatch(options), running: 0 }))
  }

  /** A run of this entry began, and will be acknowledged. */
  begin(entry: ClaimedEntry): void {
    this.#writerOf(entry).running += 1
  }

  /** It was acknowledged, or never will be. */
  end(entry: ClaimedEntry): void {
    this.#writerOf(entry).running -= 1
  }

  add(run: FinishedRun): void {
    const { batch, running } = this.#writerOf(run.entry)
    batch.add(run, running)
  }

  async flush(): Promise<void> {
    await Promise.all(this.#writers.map(({ batch }) => batch.flush()))
  }

  giveUp(): void {
    for (const { batch } of this.#writers) batch.giveUp()
  }

  #writerOf({ orgId }: ClaimedEntry): Writer {
    return this.#writers[hashOf(orgId) % WRITERS] as Writer
  }
}

function hashOf(text: string): number {
  let hash = 0
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) >>> 0
  return hash
}
