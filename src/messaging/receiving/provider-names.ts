import type { Id } from '../../kernel/ids.ts'
import { lockNames } from '../contacts/name-locks.sql.ts'
import { listByProviderIds } from '../messages/message-states.sql.ts'
import type { ProviderKey } from '../messages/messages.sql.ts'
import type { ApplyingNumber, BatchApplying, ReportItem } from './applying.ts'
import { providerLockName } from './parked-reports.ts'

/**
 * The messages that a batch of reports is about, by the ids that the network assigned. A transaction that stores such an
 * id, or relies on its absence, holds its lock (parked-reports.ts); known ids need no lock.
 */
export class ProviderNames {
  readonly #ids = new Map<string, Id<'msg'>>()

  /** Null also when the report names none. */
  idOf(number: ApplyingNumber, providerId: string | null): Id<'msg'> | null {
    return providerId === null ? null : (this.#ids.get(`${number.id} ${providerId}`) ?? null)
  }

  note(number: ApplyingNumber, providerId: string, id: Id<'msg'>): void {
    this.#ids.set(`${number.id} ${providerId}`, id)
  }

  async read(
    applying: BatchApplying,
    messages: readonly ReportItem<'message'>[],
    statuses: readonly ReportItem<'status'>[],
  ): Promise<void> {
    const { tx, orgId } = applying
    const ofStatuses = statuses.map(keyOf)
    await this.#find(applying, ofStatuses)
    const toLock = [...messages.map(keyOf), ...ofStatuses.filter((key) => !this.#ids.has(nameOf(key)))]
    if (toLock.length === 0) return
    await lockNames(
      tx,
      toLock.map((key) => providerLockName({ orgId, ...key })),
    )
    await this.#find(applying, [...toLock, ...messages.flatMap(quotedKeysOf)])
  }

  async #find({ tx, orgId }: BatchApplying, keys: readonly ProviderKey[]): Promise<void> {
    const wanted = [...new Map(keys.map((key) => [nameOf(key), key])).values()]
    if (wanted.length === 0) return
    for (const { number_id, provider_id, id } of await listByProviderIds(tx, orgId, wanted))
      this.#ids.set(`${number_id} ${provider_id}`, id)
  }
}

const nameOf = ({ numberId, providerId }: ProviderKey) => `${numberId} ${providerId}`

const keyOf = ({ number, report }: ReportItem<'message'> | ReportItem<'status'>): ProviderKey => ({
  numberId: number.id,
  providerId: report.providerId,
})

/** The messages that it replies or reacts to. */
const quotedKeysOf = ({ number, report }: ReportItem<'message'>): ProviderKey[] =>
  [report.replyToProviderId, report.reactsToProviderId].flatMap((providerId) =>
    providerId === null ? [] : [{ numberId: number.id, providerId }],
  )
