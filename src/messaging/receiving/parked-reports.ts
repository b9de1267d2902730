import type { ChannelFailure, ReportedStatus, StatusReport } from '../../channels/channel-connector.ts'
import { failureOf, type Learned } from '../messages/message-moves.ts'

/**
 * A transaction that stores a message of a customer or parks a report takes this lock first: otherwise a report could be
 * parked at the moment in which its message becomes known, and stay parked. Recording that an outbound message was sent
 * takes no lock; parked-watch.ts explains how its statuses are found.
 */
export const providerLockName = (key: { orgId: string; numberId: string; providerId: string }): string =>
  `provider ${key.orgId} ${key.numberId} ${key.providerId}`

/** A status as it is kept until the message it is about is known. */
export type LearnedReport = {
  status: ReportedStatus
  at: string
  provider_id: string
  failure: ChannelFailure | null
}

export const parkedFormOf = ({ status, at, providerId, failure }: StatusReport, arrivedAt: Date): LearnedReport => ({
  status,
  at: (at ?? arrivedAt).toISOString(),
  provider_id: providerId,
  failure,
})

const NO_REASON = {
  code: 'undeliverable',
  provider_code: null,
  detail: 'The network says that the message could not be delivered, and not why.',
  retryable: false,
}

export const learnedOf = ({ status, at, provider_id, failure }: LearnedReport): Learned => ({
  status,
  at: new Date(at),
  providerId: provider_id,
  error: status !== 'failed' ? null : failure === null ? NO_REASON : failureOf(failure),
})
