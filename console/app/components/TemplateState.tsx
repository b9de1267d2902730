import { isTextKey, useSay } from '../text/text.tsx'
import { State } from '../ui/State.tsx'

/** States of WhatsApp, by a state of the same colour. */
const LIKE: Readonly<Record<string, string>> = {
  approved: 'active',
  rejected: 'failed',
  disabled: 'failed',
  paused: 'degraded',
  pending: 'pending',
  in_appeal: 'pending',
}

/** What WhatsApp decided about a template; a status that is not known here by its own name. */
export function TemplateState({ status }: { status: string }) {
  const say = useSay()
  const state = status.toLowerCase()
  const key = `templates.status.${state}`
  return <State state={LIKE[state] ?? state} word={isTextKey(key) ? say(key) : state.replaceAll('_', ' ')} />
}

export function useCategoryWord(): (category: string) => string {
  const say = useSay()
  return (category) => {
    const key = `templates.category.${category.toLowerCase()}`
    return isTextKey(key) ? say(key) : category.toLowerCase()
  }
}
