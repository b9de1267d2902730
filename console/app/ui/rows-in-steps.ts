import { useDeferredValue, useMemo } from 'react'

/** As many as most screens show below a header and filters. */
const AT_ONCE = 20

/** The rows to draw now: those that are there and a screen full of new ones at once, the rest right after they are on the screen. */
export function useRowsInSteps<Row>(rows: readonly Row[] | undefined): readonly Row[] | undefined {
  const drawn = useDeferredValue(rows?.length ?? 0)
  return useMemo(() => rows?.slice(0, drawn + AT_ONCE), [rows, drawn])
}
