import { createSecretBox, deriveKey, type SecretBox } from '../platform/database/secret-box.ts'

/** How the credentials of payment accounts are sealed; the server and the commands must agree on it. */
export const paymentSecretBox = (secretKey: string): SecretBox =>
  createSecretBox(deriveKey(secretKey, 'payment credentials'))
