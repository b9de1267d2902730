import type { PayableDetails } from '../payment-connector.ts'

/** Nothing to pay with yet: each connector fills in what the method has. */
export const NO_DETAILS: PayableDetails = {
  providerId: null,
  qrString: null,
  qrImageUrl: null,
  virtualAccount: null,
  bill: null,
  instructions: null,
  expiresAt: null,
}
