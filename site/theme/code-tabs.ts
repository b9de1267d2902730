import type { Router } from 'vitepress'

/** The language that a reader chose in one group of tabs is shown in all groups, also on the next page. */
const STORED = 'nexkit-docs-language'

export function rememberLanguage(router: Router): void {
  document.addEventListener('click', ({ target, isTrusted }) => {
    // Clicks of the function below come here too.
    if (!isTrusted || !(target instanceof HTMLElement)) return
    const language = target.closest('.vp-code-group .tabs label')?.getAttribute('data-title')
    if (!language) return
    localStorage.setItem(STORED, language)
    const top = target.getBoundingClientRect().top
    showLanguage(language)
    // Groups above may have changed their height; the reader stays where the click was.
    window.scrollBy(0, target.getBoundingClientRect().top - top)
  })
  const showStored = () => {
    const language = localStorage.getItem(STORED)
    if (language !== null) showLanguage(language)
  }
  const follow = router.onAfterRouteChange
  router.onAfterRouteChange = async (to) => {
    await follow?.(to)
    requestAnimationFrame(showStored)
  }
  window.addEventListener('load', showStored)
}

function showLanguage(language: string): void {
  for (const label of document.querySelectorAll<HTMLLabelElement>('.vp-code-group .tabs label')) {
    const input = label.control
    if (label.dataset.title === language && input instanceof HTMLInputElement && !input.checked) input.click()
  }
}
