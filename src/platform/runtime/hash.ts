/** A fast hash for change detection (entity tags). Not for anything an attacker may aim at. */
export const contentHash = (text: string): string => Bun.hash(text).toString(36)
