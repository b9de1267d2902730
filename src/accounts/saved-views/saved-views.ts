/** Filters that people save under names, one list for each person and page of the console. */
export { listSavedViews, lockSavedViews, replaceSavedViews, type SavedView } from './saved-views.sql.ts'
