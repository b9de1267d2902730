/** What the work takes of the processor. A busy machine makes it wait, which the clock on the wall would count. */
export function measureProcessorMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
