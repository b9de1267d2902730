import { defineStates, type StateOf } from '../../kernel/states.ts'

/** The states of an approval. No transition leads back, and an approved request always runs. */
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
