/** Zones by name, such as Asia/Jakarta. An offset (+07:00) is not a zone: it has no summer time. */
export const timeZones = (): string[] => [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])].sort()

/** Older names of a zone, such as Asia/Calcutta, count as well. Other spellings of a name do not. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Z]/.test(name)) return false
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase()
  } catch {
    return false
  }
}
