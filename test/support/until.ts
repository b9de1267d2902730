/** Waits for a condition instead of sleeping: asks every few milliseconds, and fails when it does not come true in time. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 15_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
