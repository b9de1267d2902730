// Starts Swagger UI on the description that the page names, and lets it follow the light or dark setting of the system.
const place = document.querySelector('[data-openapi]')
const darkness = matchMedia('(prefers-color-scheme: dark)')

const followDarkness = () => document.documentElement.classList.toggle('dark-mode', darkness.matches)
followDarkness()
darkness.addEventListener('change', followDarkness)

globalThis.SwaggerUIBundle({
  domNode: place,
  url: place.dataset.openapi,
  layout: 'BaseLayout',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 3,
  displayRequestDuration: true,
  // A key is worth more than the comfort of not typing it again.
  persistAuthorization: false,
  // No badge: it would send the description to another host.
  validatorUrl: null,
})
