import type { Plugin } from 'vite'

/**
 * Corrects the roles in the search box of the theme: it says it is a button, and its options hold links, which screen readers
 * cannot reach. The box becomes a dialog and the links the options. Fails the build when a new version has other words.
 */
const CORRECTIONS: [from: string, to: string][] = [
  [
    `role="button"
      :aria-owns="results?.length ? 'localsearch-list' : undefined"
      aria-expanded="true"
      aria-haspopup="listbox"`,
    `role="dialog"
      aria-modal="true"`,
  ],
  [
    `:id="'localsearch-item-' + index"
            :aria-selected="selectedIndex === index ? 'true' : 'false'"
            role="option"`,
    'role="presentation"',
  ],
  // It differs from the words that are shown.
  [`              :aria-label="[...p.titles, p.title].join(' > ')"\n`, ''],
  [
    'class="result"\n',
    `class="result"
              :id="'localsearch-item-' + index"
              :aria-selected="selectedIndex === index ? 'true' : 'false'"
              role="option"\n`,
  ],
]

/** Keys that are drawn as an icon are pictures, which may have a name. */
const nameKeys = (code: string) => code.replaceAll('<kbd :aria-label', '<kbd role="img" :aria-label')

export const correctSearchBox = (): Plugin => ({
  name: 'correct-search-box',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('VPLocalSearchBox.vue')) return null
    return CORRECTIONS.reduce((text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`the search box of the theme has changed: ${from}`)
      return text.replace(from, to)
    }, nameKeys(code))
  },
})
