/**
 * Visitors who have not signed in get the pages of the entrance, which need neither the router nor most of the component
 * library. Everything else comes after they have signed in.
 */
const ENTRANCE = /^\/console\/(?:sign-in|reset-password|invitations)(?:\/|$)/

void (ENTRANCE.test(location.pathname) ? import('./entrance.tsx') : import('./inside.tsx'))
