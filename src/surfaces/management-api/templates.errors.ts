import { defineError } from '../../kernel/errors.ts'

export const templateRefused = defineError({
  code: 'template_refused',
  status: 409,
  title: 'Template refused by the network',
  says: 'The network of the number refused this. `params.detail` is its reason: correct the template and repeat the request.',
  cause:
    'The name exists already in this language, a component breaks the rules of WhatsApp, or the network of the number has no templates to manage.',
  fix: 'Correct what `params.detail` names. `params.provider_code` is the code of the network.',
  example: {
    params: { provider_code: '100', detail: 'Content in this language already exists for this template name.' },
  },
})

export const templatesUnavailable = defineError({
  code: 'templates_unavailable',
  status: 503,
  title: 'Templates not available',
  says: 'The network of the number does not answer, or refuses the credentials. Try again later, and check the number.',
  cause: 'Templates are kept by the network. `params.code` and `params.detail` say what it answered.',
  fix: 'Repeat the request. If it fails again, check the credentials of the number.',
  example: { params: { code: 'unavailable', detail: 'The network did not respond.' } },
})
