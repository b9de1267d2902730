/** SHA-256 in base64url, at half the price of node:crypto: for what is hashed on every request. */
export const sha256Text = (text: string): string => Bun.SHA256.hash(text, 'base64url')

/** The same as bytes: for an id that is worked out of others. */
export const sha256Bytes = (text: string): Uint8Array => Bun.SHA256.hash(text) as Uint8Array

/** A fast hash for change detection (entity tags). Not for anything an attacker may aim at. */
export const contentHash = (text: string): string => Bun.hash(text).toString(36)
