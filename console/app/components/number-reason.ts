import type { BusinessNumber } from '../api/settings.ts'
import { useFailureSay, useSay } from '../text/text.tsx'

/** As the server keeps it on record for whoever pauses a number here. */
const PAUSED_HERE = 'paused in the console'

/** Why a number rests: somebody wanted it, or the network refused, which is then told as its last failure. */
export function useNumberReason(): (number: BusinessNumber) => string {
  const say = useSay()
  const failureSay = useFailureSay()
  return ({ state_reason: code, health: { last_error: last } }) => {
    if (code === null) return ''
    if (code === PAUSED_HERE) return say('numbers.pausedHere')
    return failureSay({ code, detail: last?.code === code ? last.detail : code.replaceAll('_', ' ') })
  }
}
