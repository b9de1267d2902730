import { defineStates, type StateOf } from '../kernel/states.ts'

/** What becomes of something that an agent asked for. Nobody moves it back, and what was approved always runs. */
export const approvalStates = defineStates(
  'approval',
  {
    pending: { approve: 'approved', refuse: 'refused', expire: 'expired' },
    approved: { finish: 'done', fail: 'failed' },
    refused: {},
    expired: {},
    done: {},
    failed: {},
  },
  ['pending'],
)

export type ApprovalStatus = StateOf<typeof approvalStates>
