import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { rememberLanguage } from './code-tabs.ts'
import DocsLayout from './DocsLayout.vue'
import './look.css'
import TryIt from './TryIt.vue'

export default {
  extends: DefaultTheme,
  Layout: DocsLayout,
  enhanceApp({ app, router }) {
    app.component('TryIt', TryIt)
    if (!import.meta.env.SSR) rememberLanguage(router)
  },
} satisfies Theme
