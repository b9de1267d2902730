import type { PayableDetails, StatedCharge } from '../payment-connector.ts'

const NOT_STATED: StatedCharge = { attemptId: null, amount: null, currency: null }

/** Empty payment details; each connector fills in those of the method. */
export const NO_DETAILS: PayableDetails = {
  providerId: null,
  qrString: null,
  qrImageUrl: null,
  virtualAccount: null,
  bill: null,
  instructions: null,
  expiresAt: null,
  stated: NOT_STATED,
}
