/** The server counts what waits no further than that. */
const COUNTED_MAX = 10_000

export const countText = (count: number): string => (count < COUNTED_MAX ? String(count) : `${COUNTED_MAX}+`)
