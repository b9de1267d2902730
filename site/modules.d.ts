/// <reference types="vite/client" />

/** Parts with a template. The build compiles them; their logic is in files that are checked. */
declare module '*.vue' {
  import type { DefineComponent } from 'vue'

  const component: DefineComponent
  export default component
}
