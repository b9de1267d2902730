import type { PayableDetails, StatedCharge } from '../payment-connector.ts'

const NOT_STATED: StatedCharge = { attemptId: null, amount: null, currency: null }

/** Nothing to pay with yet: each connector fills in what the method has. */
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
